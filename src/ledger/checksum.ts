/** Checksums of entries, to notice damage by disks and edits by hand. */
import { createHash } from "node:crypto";
import type { Entry } from "./ledger.js";

/** SHA-256 over all fields of an entry. */
export function checksumOf(entry: Omit<Entry, "id" | "intact">): Uint8Array {
  const { requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer } = entry;
  const bytes = signature === null ? null : Buffer.from(signature).toString("base64");
  // JSON separates the fields: text that moves from one field to the next changes the checksum.
  const json = JSON.stringify([requestId, requestHash, uid, state, intent, totalCounter, number, bytes, answer]);
  return sha256(json);
}

export function sha256(data: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}
