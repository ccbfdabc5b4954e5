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

/** @param certificate X.509 DER @returns name of its key pair; undefined if the certificate is missing or damaged */
export function certifiedKey(certificate: Uint8Array | undefined): string | undefined {
  if (!certificate) return undefined;
  try {
    return nameOf(new X509Certificate(certificate).publicKey);
  } catch {
    return undefined;
  }
}

function nameOf(publicKey: KeyObject): string {
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex");
}
