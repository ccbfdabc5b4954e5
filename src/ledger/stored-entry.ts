/** Converts a row of the store into an entry, and checks whether the row is undamaged. */
import { checksumOf } from "./checksum.js";
import type { Entry } from "./ledger.js";

/** A row without its checksum. */
export type EntryRow = Omit<Entry, "intact">;
export type StoredEntry = EntryRow & { readonly checksum: Uint8Array };

export function checksumOfEntry(entry: EntryRow): Uint8Array {
  const { id, requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer } = entry;
  return checksumOf(
    [id, requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer],
    "base64",
  );
}

export function isIntact(row: StoredEntry): boolean {
  return Buffer.from(row.checksum).equals(checksumOfEntry(row));
}

export function entryOf(row: StoredEntry): Entry;
export function entryOf(row: StoredEntry | undefined): Entry | undefined;
export function entryOf(row: StoredEntry | undefined): Entry | undefined {
  if (!row) return undefined;
  const { checksum: _, ...rest } = row;
  return { ...rest, intact: isIntact(row) };
}
