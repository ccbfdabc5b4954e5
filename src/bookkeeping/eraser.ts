/**
 * Erases receipts in small slices. Each slice is one durable commit, so sales go on between slices, and a kill
 * interrupts only one slice.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import { Mutex } from "../base/mutex.js";
import { toIso } from "../fiscal/time.js";
import { appendChange } from "../ledger/change-log.js";
import { BEGINNING, Erasing, type ErasingPlace } from "../ledger/erasing.js";
import { removeReceiptIndex } from "../ledger/receipt-index.js";
import type { SqliteAccess } from "../ledger/sqlite-access.js";

/** Number of receipts of a slice. */
const SLICE = 20;

interface Erasure {
  /** Receipts that were signed before this time are erased. */
  readonly before: EpochMs;
  /** What started the erasure, for the record of changes: `command`, `console`, `retentionYears`. */
  readonly by: string;
  readonly now: EpochMs;
  /** A signal that ends the erasure after the current slice. */
  readonly ended?: AbortSignal;
}

export interface ErasureCount {
  /** Number of receipts, and of lost and unproven sales, before the given time. */
  readonly older: number;
  /** How many of the `older` entries can be erased. */
  readonly erasable: number;
  /** Time of the oldest entry that can be erased. */
  readonly oldest: EpochMs | undefined;
}

export class Eraser {
  private readonly erasing: Erasing;
  private readonly order = new Mutex();

  /** @param pause resolves when the next slice may begin @throws StoreError if the store is damaged */
  constructor(
    private readonly access: SqliteAccess,
    private readonly pause: () => Promise<void>,
  ) {
    this.erasing = access.starting(() => new Erasing(access.db));
  }

  /** Counts the receipts before a time that can be erased. @throws LedgerError */
  async count(before: EpochMs, ended?: AbortSignal): Promise<ErasureCount> {
    let [older, erasable] = [0, 0];
    let oldest = Number.POSITIVE_INFINITY;
    for (let place: ErasingPlace | undefined = BEGINNING; place && !ended?.aborted; ) {
      const from: ErasingPlace = place;
      const slice = await this.access.read(() => this.erasing.slice(before, from, SLICE));
      older += slice.entries.length;
      erasable += slice.erasable.length;
      // The first slice contains lost sales of any age, so a later slice may have the oldest receipt.
      oldest = Math.min(oldest, ...slice.erasable.map(({ at }) => at));
      place = slice.next;
      await this.pause();
    }
    return { older, erasable, oldest: erasable === 0 ? undefined : oldest };
  }

  /** @returns how many receipts were erased @throws LedgerError; the receipts of earlier slices then stay erased */
  erase(erasure: Erasure): Promise<number> {
    return this.order.run(() => this.eraseAll(erasure));
  }

  private async eraseAll({ before, by, now, ended }: Erasure): Promise<number> {
    const { access } = this;
    const { erasable } = await this.count(before, ended);
    if (erasable === 0 || ended?.aborted) return 0;
    // The index contains the buyers and cashiers of erased receipts, too. It is rebuilt without them when it is
    // needed.
    removeReceiptIndex(access.dataDir);
    const what = { before: toIso(before), receipts: String(erasable), by };
    let gone = 0;
    for (let place: ErasingPlace | undefined = BEGINNING; place && !ended?.aborted && gone < erasable; ) {
      const from: ErasingPlace = place;
      const slice = await access.commit(() => {
        // In the first commit, so that no erasure is without its row in the record of changes.
        if (from === BEGINNING) appendChange(access.db, { at: now, kind: "erased", what });
        const slice = this.erasing.slice(before, from, SLICE);
        // Erase at most as many receipts as the record announces. Sales that were proven meanwhile wait for the next
        // run.
        const going = slice.erasable.slice(0, erasable - gone);
        this.erasing.erase(going, now);
        return { next: slice.next, erased: going.length };
      });
      access.hasErased = true;
      gone += slice.erased;
      place = slice.next;
      await this.pause();
    }
    removeReceiptIndex(access.dataDir);
    return gone;
  }
}
