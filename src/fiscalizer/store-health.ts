/** Whether the store takes what is written, as status and console say it, and what becomes of a sale where it does not. */
import { explained } from "../ledger/faults.js";
import { LedgerError, type LedgerFault } from "../ledger/ledger.js";
import { waitAtMost } from "../wait-at-most.js";
import { FiscalError } from "./fiscal-error.js";

/** The store refuses writes. */
export interface StoreProblem {
  readonly fault: LedgerFault;
  readonly folder: string;
}

/** What is known of the sale whose write was refused. */
export type Fate = "not-signed" | "signed" | "unknown";

/** ms that a caller waits for a store that another program holds; status answers within a second. */
const PATIENCE = 400;

export class StoreHealth {
  private fault: LedgerFault | undefined;
  private trying: Promise<void> | undefined;

  /** @param tryWrite rejects while the folder takes nothing */
  constructor(
    readonly folder: string,
    private readonly tryWrite: () => Promise<void>,
  ) {}

  /** Remembers what was refused. Returns the error in words, where they are about the store. */
  note(error: unknown): unknown {
    const inWords = explained(error, this.folder);
    if (inWords instanceof LedgerError) this.fault = inWords.fault;
    return inWords;
  }

  /** Tries a store again that has refused a write: it recovers without a sale. Undefined if it takes writes. */
  async problem(): Promise<StoreProblem | undefined> {
    if (this.fault === undefined) return undefined;
    this.trying ??= this.tryAgain();
    await waitAtMost(PATIENCE, this.trying);
    return this.fault === undefined ? undefined : { fault: this.fault, folder: this.folder };
  }

  private async tryAgain(): Promise<void> {
    try {
      await this.tryWrite();
      this.fault = undefined;
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
  unknown: (repeatable) =>
    `. We do not know yet whether the card signed this sale. ${
      repeatable ? "Repeat it with the same RequestId." : "Look at the receipts before you post it again."
    }`,
};

/** 1999 that says what is wrong with the disk, and what became of the sale. @param repeatable it has a RequestId */
export function storeRefusal({ message }: LedgerError, fate: Fate, repeatable: boolean): FiscalError {
  return FiscalError.of("1999", "", message + FATES[fate](repeatable));
}
