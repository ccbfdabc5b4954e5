/** A request for a proof of audit, from the API or from a stick (protocol facts, section 8, "Flow"). */

import { BLOCK_BYTES } from "../pki/rsa-block.js";
import { ControlError } from "./endpoint/errors.js";

export interface SentProofRequest {
  /** The card's block, 256 bytes. */
  readonly auditRequestPayload: Uint8Array;
  /**
   * The card's sum, scaled by 10,000; undefined if the request is from a stick, because its file has only the card's
   * block.
   */
  readonly sum?: bigint;
  /** Scaled by 10,000. */
  readonly limit?: bigint;
}

/** Length of the prefix `01000000`, which the card puts in front of its block. Some programs send the prefix too. */
const PREFIX_BYTES = 4;

/**
 * Returns the card's block without its prefix.
 * @param bytes the block of 256 bytes, with the prefix or without
 * @throws ControlError 400 if the length is wrong
 */
export function auditBlock(bytes: Uint8Array): Uint8Array {
  if (bytes.length === BLOCK_BYTES || bytes.length === PREFIX_BYTES + BLOCK_BYTES) return bytes.subarray(-BLOCK_BYTES);
  throw new ControlError(
    400,
    `the request for a proof has ${bytes.length} bytes; expected the card's block of ${BLOCK_BYTES} bytes`,
  );
}
