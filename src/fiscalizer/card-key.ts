/** Names the key pair of a card. The name distinguishes two cards with the same UID. */
import { createHash, type KeyObject, X509Certificate } from "node:crypto";
import type { CardIdentity } from "../secure-element/secure-element.js";

/** Names of key pairs, kept because each sale needs the name and the key stays the same for a session. */
const known = new WeakMap<KeyObject, string>();

/** Returns the name of a card's key pair. A renewed certificate of the same card gives the same name. */
export function cardKeyOf({ publicKey }: Pick<CardIdentity, "publicKey">): string {
  const name = known.get(publicKey) ?? nameOf(publicKey);
  known.set(publicKey, name);
  return name;
}

/**
 * Maximum number of bytes in which a damaged copy differs from the certificate. The certificates of two cards differ in
 * hundreds of bytes, because they have other keys.
 */
const MOST_DAMAGED_BYTES = 8;

/**
 * Returns the name of the key pair that the ledger knows. A damaged copy of the present card's certificate gives the
 * name of the present card, because a flipped bit must not make this card a second one.
 * @param certificate in the ledger: X.509 DER
 * @param present the card in the reader, if it has the same UID
 * @returns undefined if the certificate is missing or cannot be read
 */
export function knownKeyOf(
  certificate: Uint8Array | undefined,
  present: Pick<CardIdentity, "certificate" | "publicKey"> | undefined,
): string | undefined {
  if (!certificate) return undefined;
  if (present && isCopy(certificate, present.certificate)) return cardKeyOf(present);
  try {
    return nameOf(new X509Certificate(certificate).publicKey);
  } catch {
    return undefined;
  }
}

function isCopy(copy: Uint8Array, certificate: Uint8Array): boolean {
  if (copy.length !== certificate.length) return false;
  return copy.filter((byte, i) => byte !== certificate[i]).length <= MOST_DAMAGED_BYTES;
}

function nameOf(publicKey: KeyObject): string {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex");
}
