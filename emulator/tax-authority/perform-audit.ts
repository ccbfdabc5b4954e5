/** An audit: the card asks, the authority proves, the card takes the proof (protocol facts, section 1). */
import type { KeyObject } from "node:crypto";
import type { AuditableElement, BytesOutcome, EndAuditOutcome } from "../../src/secure-element/secure-element.js";
import { proofOfAudit } from "./audit.js";

/** Bytes in front of the block of Start Audit. */
const PREFIX_BYTES = 4;

export type AuditOutcome = Exclude<BytesOutcome, { outcome: "ok" }> | EndAuditOutcome;

type Audited = Pick<AuditableElement, "startAudit" | "endAudit">;

export async function performAudit(secureElement: Audited, authorityKey: KeyObject): Promise<AuditOutcome> {
  const request = await secureElement.startAudit();
  return request.outcome === "ok" ? endAudit(secureElement, request.bytes, authorityKey) : request;
}

/** The authority's answer to the data of Start Audit, of any age. */
export async function endAudit(
  secureElement: Audited,
  request: Uint8Array,
  authorityKey: KeyObject,
): Promise<AuditOutcome> {
  const proof = proofOfAudit(request.subarray(PREFIX_BYTES), authorityKey);
  return proof ? secureElement.endAudit(proof) : { outcome: "bad-proof" };
}
