/**
 * Verifies the card's signature with the key of the card's certificate. Converts signatures between bytes and the
 * hexadecimal form of the protocol.
 */
import type { KeyObject } from "node:crypto";
import { type CardSignature, joinSignAnswer, SIGNATURE_BYTES, splitSignAnswer } from "../fiscal/sign-answer.js";
import { isProven } from "../fiscal/signature.js";
import type { CardIdentity, LastSignedOutcome } from "../secure-element/secure-element.js";
import { FiscalError } from "./fiscal-error.js";
import type { LastInvoiceAnswer, Signature } from "./protocol/state.js";

/** The parts of answers that the card has just given. */
const parts = new WeakMap<Signature, CardSignature>();

/** Returns the card's answer in the protocol's form. @param publicKey the key in the card's certificate */
export function signatureOf(answer: CardSignature, publicKey: KeyObject): Signature {
  const bytes = joinSignAnswer(answer);
  const signed = bytes.subarray(0, bytes.length - SIGNATURE_BYTES);
  const signature: Signature = {
    totalCounter: answer.totalCounter,
    header: hex(answer.header),
    bytes: hex(bytes),
    proven: isProven(signed, answer.signature, publicKey),
  };
  parts.set(signature, answer);
  return signature;
}

export function cardSignatureOf(signature: Signature): CardSignature {
  return parts.get(signature) ?? splitSignAnswer(Buffer.from(signature.bytes, "hex"));
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Returns the card's answer about its last invoice in the protocol's form. */
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
