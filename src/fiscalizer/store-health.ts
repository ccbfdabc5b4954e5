/** Knows whether the store can be written, and explains what happens to a sale if the store cannot be written. */

import type { Logger } from "pino";
import { waitAtMost } from "../base/wait-at-most.js";
import { explained } from "../ledger/faults.js";
import { LedgerError, type LedgerFault } from "../ledger/ledger.js";
import type { SqliteAccess } from "../ledger/sqlite-access.js";
import { FiscalError } from "./fiscal-error.js";
import type { Fate } from "./protocol/state.js";

/** ms that a caller waits for a store that another program has locked, because status must answer within a second. */
const STORE_ANSWER_LIMIT_MS = 400;

export class StoreHealth {
  private fault: LedgerFault | undefined;
  private trying: Promise<void> | undefined;
  private failures = 0;

  /** @param tryWrite rejects while the store cannot be written @param files of the store; undefined if not watched */
  constructor(
    readonly folder: string,
    private readonly tryWrite: () => Promise<void>,
    private readonly files?: Pick<SqliteAccess, "requireSound">,
    private readonly log?: Logger,
  ) {}

  /** Remembers a failure. @returns the error; an error of the store has an explanation in words */
  note(error: unknown): unknown {
    const inWords = explained(error, this.folder);
    if (!(inWords instanceof LedgerError)) return inWords;
    const { fault, cause, message } = inWords;
    if (this.fault !== fault) this.log?.warn({ fault, err: cause }, message);
    this.fault = fault;
    this.failures++;
    return inWords;
  }

  /** The damage that was met. No new sale begins before a start with an intact store, even if files can be written. */
  get damage(): LedgerError | undefined {
    const problem = this.look();
    return problem instanceof LedgerError && problem.fault === "damaged" ? problem : undefined;
  }

  /** Tries the store again after a failed write, before a sale does. @returns undefined if it can be written */
  async problem(): Promise<{ readonly fault: LedgerFault; readonly folder: string } | undefined> {
    this.look();
    if (this.fault === undefined) return undefined;
    // A trial would write into a file that another program has put there, and mend nothing.
    if (this.fault !== "damaged") {
      this.trying ??= this.tryAgain();
      await waitAtMost(STORE_ANSWER_LIMIT_MS, this.trying);
    }
    return this.fault === undefined ? undefined : { fault: this.fault, folder: this.folder };
  }

  /** Notices early that the store was removed or replaced, before a sale fails because of that. */
  private look(): unknown {
    try {
      return this.files?.requireSound();
    } catch (error) {
      return this.note(error);
    }
  }

  private async tryAgain(): Promise<void> {
    const { failures } = this;
    try {
      await this.tryWrite();
      // A sale may have failed meanwhile.
      if (this.failures === failures) this.fault = undefined;
      this.look();
    } catch (error) {
      this.note(error);
    } finally {
      this.trying = undefined;
    }
  }
}

const FATES: Readonly<Record<Fate, (repeatable: boolean) => string>> = {
  "not-signed": () => "; the sale was not signed.",
  signed: (repeatable) =>
    `. The card signed this sale, and it is stored as soon as that works. ${
      repeatable
        ? "Repeat it with the same RequestId."
        : "Do not post it again: without a RequestId it would be signed twice."
    }`,
  "not-looked-up": (repeatable) =>
    repeatable
      ? ". Nothing was signed now. Whether it was signed before is not known while the store is damaged: repeat it with the same RequestId later."
      : FATES["not-signed"](repeatable),
  unknown: (repeatable) =>
    `. We do not know yet whether the card signed this sale. ${
      repeatable ? "Repeat it with the same RequestId." : "Look at the receipts before you post it again."
    }`,
};

/** The error 1999: what is wrong with the disk, and what happened to the sale. @param repeatable has a RequestId */
export function storeRefusal({ fault, message }: LedgerError, fate: Fate, repeatable: boolean): FiscalError {
  // A damaged store may have lost the receipt of an earlier request.
  const known = fault === "damaged" && fate === "not-signed" ? "not-looked-up" : fate;
  return FiscalError.of("1999", "", message + FATES[known](repeatable));
}
