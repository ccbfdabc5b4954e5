/**
 * Exports receipts in an open format, for the shop and for a buyer who asks for stored data. The export has JSON lines,
 * and the journals as text.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EpochMs } from "../base/epoch-ms.js";
import { OWNER_ONLY } from "../base/private-file.js";
import { renamePatiently } from "../base/rename-patiently.js";
import { syncFolder } from "../base/write-durably.js";
import { toIso } from "../fiscal/time.js";
import { StoreError } from "../ledger/database.js";
import type { Entry, EntryState } from "../ledger/ledger.js";
import { answerIn, contentOf, type ReceiptContent } from "../ledger/receipt-content.js";
import type { StoreReading } from "../ledger/store-reading.js";

export interface Wanted {
  /** The times to export. `from` is included, `to` is not. If undefined, there is no limit. */
  readonly from?: EpochMs | undefined;
  readonly to?: number | undefined;
  /** The buyer's id, as the POS sent it; undefined: all buyers. */
  readonly buyer?: string | undefined;
}

export interface ExportedData {
  readonly sales: Readonly<Partial<Record<EntryState, number>>>;
  /** Number of damaged receipts; their buyer is not certain. */
  readonly unreadable: number;
}

/** @param target must not exist yet; until the export is complete, its name ends in .partial @throws StoreError */
export function exportData(store: StoreReading, target: string, wanted: Wanted): ExportedData {
  if (existsSync(target)) throw new StoreError(`${target} exists already; an export never overwrites another`);
  if (!existsSync(dirname(target)))
    throw new StoreError(`the folder ${dirname(target)} does not exist; create it first`);
  const partial = `${target}.partial`;
  rmSync(partial, { recursive: true, force: true });
  try {
    mkdirSync(partial, { mode: 0o700 });
    const exported = written(store, partial, wanted);
    renamePatiently(partial, target);
    syncFolder(dirname(target));
    return exported;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

function written(store: StoreReading, folder: string, wanted: Wanted): ExportedData {
  const open = (name: string) => openSync(join(folder, name), "wx", OWNER_ONLY);
  const [lines, journals] = [open("receipts.jsonl"), open("journals.txt")];
  const sales: Partial<Record<EntryState, number>> = {};
  let unreadable = 0;
  try {
    for (const entry of store.entries()) {
      const content = contentOf(entry);
      const stored = answerIn(entry);
      if (!entry.intact || !content || (entry.answer !== null && !stored)) unreadable++;
      else if (isWanted(content, wanted)) {
        sales[entry.state] = (sales[entry.state] ?? 0) + 1;
        writeSync(lines, lineOf(entry, content.time));
        if (typeof stored?.journal === "string") writeSync(journals, `${stored.journal.trimEnd()}\n\n`);
      }
    }
    for (const file of [lines, journals]) fsyncSync(file);
  } finally {
    for (const file of [lines, journals]) closeSync(file);
  }
  return { sales, unreadable };
}

function lineOf({ state, number, requestId, intent, answer }: Entry, time: EpochMs): string {
  // Request and answer are JSON texts already. Do not parse them, because that would lose exact numbers.
  const head = JSON.stringify({ number, time: toIso(time), state, requestId }).slice(0, -1);
  return `${head},"request":${intent},"answer":${answer}}\n`;
}

function isWanted({ time, buyerId }: ReceiptContent, wanted: Wanted): boolean {
  if (wanted.from !== undefined && time < wanted.from) return false;
  if (wanted.to !== undefined && time >= wanted.to) return false;
  return wanted.buyer === undefined || buyerId === wanted.buyer;
}
