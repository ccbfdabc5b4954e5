/** A request for a proof of audit, as the API and a stick bring it (protocol facts, section 8, "Flow"). */
import { ControlError } from "../control/errors.js";
import { BLOCK_BYTES } from "./rsa-block.js";

export interface SentProofRequest {
  /** The card's block, 256 bytes. */
  readonly auditRequestPayload: Uint8Array;
  /** Scaled by 10,000; undefined on a stick, which has the card's block only. */
  readonly sum?: bigint;
  /** Scaled by 10,000. */
  readonly limit?: bigint;
}

/** `01000000`, which the card sends in front of its block and some programs send along. */
const PREFIX_BYTES = 4;

/** The card's block of 256 bytes, with the prefix or without. @throws ControlError 400 */
export function auditBlock(bytes: Uint8Array): Uint8Array {
  if (bytes.length === BLOCK_BYTES || bytes.length === PREFIX_BYTES + BLOCK_BYTES) return bytes.subarray(-BLOCK_BYTES);
  throw new ControlError(400, `the request for a proof has ${bytes.length} bytes; the card's block has ${BLOCK_BYTES}`);
}
