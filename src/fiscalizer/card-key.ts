/** The name of a card's key pair: it distinguishes two cards with the same UID. */
import { createHash, type KeyObject, X509Certificate } from "node:crypto";
import type { CardIdentity } from "../secure-element/secure-element.js";

/** Cache: a card's identity stays the same for a session, and each sale needs the name. */
const known = new WeakMap<KeyObject, string>();

/** A renewed certificate of the same card gives the same name. */
export function cardKeyOf({ publicKey }: Pick<CardIdentity, "publicKey">): string {
  const name = known.get(publicKey) ?? nameOf(publicKey);
  known.set(publicKey, name);
  return name;
}

/** @param certificate X.509 DER @returns undefined if there is none, or if it is damaged */
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
