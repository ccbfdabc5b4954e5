/**
 * Verifies the card's signature with the key of the card's certificate, and names that key, which distinguishes two cards
 * with the same UID. Converts signatures between bytes and the hexadecimal form of the protocol.
 */
import { createHash, type KeyObject, X509Certificate } from "node:crypto";
import { type CardSignature, joinSignAnswer, SIGNATURE_BYTES, splitSignAnswer } from "../fiscal/sign-answer.js";
import { isProven } from "../fiscal/signature.js";
import type { CardIdentity, LastSignedOutcome } from "../secure-element/secure-element.js";
import { FiscalError } from "./fiscal-error.js";
import type { LastInvoiceAnswer, Signature } from "./protocol/state.js";

/** Returns the card's answer in the protocol's form. @param publicKey the key in the card's certificate */
export function signatureOf(answer: CardSignature, publicKey: KeyObject): Signature {
  const bytes = joinSignAnswer(answer);
  const signed = bytes.subarray(0, bytes.length - SIGNATURE_BYTES);
  return {
    totalCounter: answer.totalCounter,
    header: hex(answer.header),
    bytes: hex(bytes),
    proven: isProven(signed, answer.signature, publicKey),
  };
}

export function cardSignatureOf({ bytes }: Signature): CardSignature {
  return splitSignAnswer(Buffer.from(bytes, "hex"));
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

export function lastInvoiceAnswerOf(last: LastSignedOutcome, { publicKey }: CardIdentity): LastInvoiceAnswer {
  switch (last.kind) {
    case "signed":
      return { kind: "signature", signature: signatureOf(last.signature, publicKey) };
    case "nothing-signed":
    case "no-command":
    case "odd":
      return last;
    case "pin-required":
      return { kind: "not-reached", reason: FiscalError.of("1500").message };
    default:
      return { kind: "not-reached", reason: last.reason };
  }
}

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
