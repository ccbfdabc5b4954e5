/** What the card said when it signed, between the protocol's hexadecimal and the bytes that everything else uses. */
import type { KeyObject } from "node:crypto";
import { isProven, SIGNED_HEADER_BYTES } from "../fiscal/signature.js";
import type { CardIdentity, CardSignature, LastSignedOutcome } from "../secure-element/secure-element.js";
import { FiscalError } from "./fiscal-error.js";
import type { Signature, Told } from "./protocol/state.js";

const COUNTERS_BYTES = 8;
const SIGNATURE_BYTES = 256;

/** Header, counters, internal data and signature, as the card put them together. */
export function answerBytes(answer: CardSignature): Buffer {
  const counters = Buffer.alloc(COUNTERS_BYTES);
  counters.writeUInt32BE(answer.transactionTypeCounter, 0);
  counters.writeUInt32BE(answer.totalCounter, 4);
  return Buffer.concat([answer.header, counters, answer.encryptedInternalData, answer.signature]);
}

/** @param publicKey of the card's certificate */
export function signatureOf(answer: CardSignature, publicKey: KeyObject): Signature {
  const bytes = answerBytes(answer);
  const signed = bytes.subarray(0, bytes.length - SIGNATURE_BYTES);
  return {
    totalCounter: answer.totalCounter,
    header: hex(answer.header),
    bytes: hex(bytes),
    proven: isProven(signed, answer.signature, publicKey),
  };
}

export function cardSignatureOf({ bytes }: Signature): CardSignature {
  return takenApart(Buffer.from(bytes, "hex"));
}

/** What {@link answerBytes} has put together. */
export function takenApart(bytes: Buffer): CardSignature {
  const data = SIGNED_HEADER_BYTES + COUNTERS_BYTES;
  const end = bytes.length - SIGNATURE_BYTES;
  return {
    header: bytes.subarray(0, SIGNED_HEADER_BYTES),
    transactionTypeCounter: bytes.readUInt32BE(SIGNED_HEADER_BYTES),
    totalCounter: bytes.readUInt32BE(SIGNED_HEADER_BYTES + 4),
    encryptedInternalData: bytes.subarray(data, end),
    signature: bytes.subarray(end),
  };
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** The card's words about its last invoice. */
export function toldOf(last: LastSignedOutcome, { publicKey }: CardIdentity): Told {
  switch (last.outcome) {
    case "signed":
      return { told: "signature", signature: signatureOf(last.signature, publicKey) };
    case "nothing-signed":
      return { told: "nothing-signed" };
    case "no-command":
      return { told: "no-command" };
    case "odd":
      return { told: "odd", reason: last.reason };
    case "pin-required":
      return { told: "not-reached", reason: FiscalError.of("1500").message };
    default:
      return { told: "not-reached", reason: last.reason };
  }
}
