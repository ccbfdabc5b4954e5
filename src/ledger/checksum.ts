/** Checksums of rows, to notice damage by disks and edits by hand. */
import { createHash } from "node:crypto";

/** SHA-256 over the columns of a row. JSON separates them: text that moves from one column to the next changes it. */
export function checksumOf(columns: readonly unknown[], encoding: "hex" | "base64" = "hex"): Uint8Array {
  const values = columns.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString(encoding) : value));
  return sha256(JSON.stringify(values));
}

export function sha256(data: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}
