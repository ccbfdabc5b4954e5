/** What shows that an entry is still what was written: disks rot, and stores are edited by hand. */
import { createHash } from "node:crypto";
import type { Entry } from "./ledger.js";

/** SHA-256 over all that an entry says. */
export function checksumOf(entry: Omit<Entry, "id" | "intact">): Uint8Array {
  const { requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer } = entry;
  const bytes = signature === null ? null : Buffer.from(signature).toString("base64");
  // JSON keeps the fields apart: no text can slip from one into the next.
  const said = JSON.stringify([requestId, requestHash, uid, state, intent, totalCounter, number, bytes, answer]);
  return createHash("sha256").update(said).digest();
}
