/** Erases receipts in small slices, each one durable commit: sales go on in between, and a kill interrupts only one slice. */

import { Mutex } from "../base/mutex.js";
import type { ChangeLog } from "../ledger/change-log.js";
import { BEGINNING, Erasing, type ErasureCount, type Place } from "../ledger/erasing.js";
import { removeReceiptIndex } from "../ledger/receipt-index.js";
import type { SqliteAccess } from "../ledger/sqlite-access.js";

/** Receipts of a slice. */
const SLICE = 20;

export interface EraserParts {
  readonly access: SqliteAccess;
  readonly changes: ChangeLog;
  /** Resolves when the next slice may begin. */
  readonly pause: () => Promise<void>;
}

export interface Erasure {
  /** ISO 8601, UTC: receipts signed before are erased. */
  readonly before: string;
  /** What started the erasure, for the record of changes: `command`, `console`, `retentionYears`. */
  readonly by: string;
  /** ms since the epoch. */
  readonly now: number;
  /** Ends the erasure after the current slice. */
  readonly ended?: AbortSignal;
}

export class Eraser {
  private readonly erasing: Erasing;
  private readonly order = new Mutex();

  /** @throws StoreError if the store is damaged */
  constructor(private readonly parts: EraserParts) {
    const { access } = parts;
    this.erasing = access.starting(() => new Erasing(access.db));
  }

  /** @param before ISO 8601, UTC @throws LedgerError */
  async count(before: string, ended?: AbortSignal): Promise<ErasureCount> {
    const { access, pause } = this.parts;
    let [older, erasable] = [0, 0];
    let oldest: string | undefined;
    for (let place: Place | undefined = BEGINNING; place && !ended?.aborted; ) {
      const from: Place = place;
      const slice = await access.read(() => this.erasing.countSlice(before, from, SLICE));
      older += slice.older;
      erasable += slice.erasable;
      // Compare all slices: the first one contains lost sales of any age, so a later slice may have the oldest receipt.
      oldest = [oldest, slice.oldest].filter((time) => time !== undefined).toSorted()[0];
      place = slice.next;
      await pause();
    }
    return { older, erasable, oldest };
  }

  /** @returns how many receipts were erased @throws LedgerError; then the receipts of earlier slices stay erased */
  erase(erasure: Erasure): Promise<number> {
    return this.order.run(() => this.eraseAll(erasure));
  }

  private async eraseAll({ before, by, now, ended }: Erasure): Promise<number> {
    const { access, changes, pause } = this.parts;
    const { erasable } = await this.count(before, ended);
    if (erasable === 0 || ended?.aborted) return 0;
    // The index contains buyers and cashiers too. It is rebuilt without them on demand.
    removeReceiptIndex(access.dataDir);
    let gone = 0;
    for (let place: Place | undefined = BEGINNING; place && !ended?.aborted && gone < erasable; ) {
      const from: Place = place;
      const slice = await access.commit(() => {
        const row = from === BEGINNING ? this.erasing.announce(before, erasable, by, now) : undefined;
        // Erase at most what the record announces; sales proven meanwhile wait for the next run.
        const most = erasable - gone;
        return { row, ...this.erasing.eraseSlice(before, from, SLICE, { now, most }) };
      });
      if (slice.row) changes.keep(slice.row);
      access.hasErased = true;
      gone += slice.erased;
      place = slice.next;
      await pause();
    }
    removeReceiptIndex(access.dataDir);
    return gone;
  }
}
