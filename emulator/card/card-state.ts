/**
 * The state that a card keeps without power, such as counters, sum, PIN attempts and the last answer. The emulator
 * stores the state in memory or in a folder.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../src/base/read-text.js";
import { messageOf } from "../../src/base/thrown.js";
import { writeDurably } from "../../src/base/write-durably.js";
import { ConfigError } from "../../src/config/config-error.js";
import { INVOICE_TYPES } from "../../src/fiscal/invoice.js";
import type { RawSignedHeader } from "../../src/fiscal/signing-header.js";
import { PAIR_LETTERS } from "./pair-letters.js";
import type { CardProfile } from "./profile.js";

export interface CardState {
  pinTriesLeft: number;
  pkiPinTriesLeft: number;
  disabled: boolean;
  totalCounter: number;
  /** Value to which the total counter was last set. Signatures after that do not change this value. */
  startCounter: number;
  /** One counter for each pair of types. The index is the invoice type times two, plus the transaction type. */
  pairCounters: number[];
  sum: bigint;
  limit: bigint;
  /** Header, counters, internal data and signature of the last invoice, hexadecimal. */
  lastAnswer: string | null;
  /** The nonce of the open audit, hexadecimal; null if no audit is open. */
  auditNonce: string | null;
}

/** structuredClone is slower, and a card may get a thousand commands a second. */
export function copyOf(state: CardState): CardState {
  return { ...state, pairCounters: [...state.pairCounters] };
}

export abstract class CardMemory {
  abstract load(): CardState;
  /** Saves the state durably: when this method returns, the state survives a loss of power. */
  abstract save(state: CardState): void;

  /** Saves the state after a signature. The state survives a loss of power once the signature's sale is stored. */
  saveSigned(state: CardState): void {
    this.save(state);
  }

  /** Called when the service ends, and before a commit after which the store cannot restore the state. */
  flush(): void {}
}

export function initialState(profile: CardProfile): CardState {
  return {
    pinTriesLeft: profile.pinTriesLeft ?? profile.pinTries,
    pkiPinTriesLeft: profile.pkiPinTries,
    disabled: profile.disabled,
    totalCounter: profile.counters.total,
    startCounter: profile.counters.total,
    pairCounters: PAIR_LETTERS.map((letters) => profile.counters[letters] ?? 0),
    sum: profile.sum,
    limit: profile.limit,
    lastAnswer: null,
    auditNonce: null,
  };
}

/** Index of an invoice's pair of types in {@link CardState.pairCounters}. */
export function pairOf({ invoiceType, transactionType }: Pick<RawSignedHeader, "invoiceType" | "transactionType">) {
  return invoiceType * 2 + transactionType;
}

/** Counts an invoice that the card signs. @param pairCounter the counter of its pair of types, this invoice included */
export function afterSale(
  state: CardState,
  header: RawSignedHeader,
  pairCounter: number,
  addsToSum: CardProfile["addsToSum"],
): CardState {
  const counts = addsToSum.some((name) => INVOICE_TYPES[name] === header.invoiceType);
  return {
    ...state,
    totalCounter: state.totalCounter + 1,
    pairCounters: state.pairCounters.with(pairOf(header), pairCounter),
    sum: state.sum + (counts ? header.totalAmount : 0n),
  };
}

export class VolatileMemory extends CardMemory {
  constructor(private state: CardState) {
    super();
  }

  load(): CardState {
    return copyOf(this.state);
  }

  save(state: CardState): void {
    this.state = copyOf(state);
  }
}

/** Stores the state in a JSON file, which each save replaces as a whole. */
export class FolderMemory extends CardMemory {
  private readonly file: string;

  constructor(
    private readonly folder: string,
    name: string,
    private readonly initial: CardState,
  ) {
    super();
    this.file = join(folder, `${name}.json`);
  }

  /** @throws ConfigError if the file is damaged, because a card must not start again at zero */
  load(): CardState {
    if (!existsSync(this.file)) return copyOf(this.initial);
    try {
      const { sum, limit, ...rest } = JSON.parse(readText(this.file)) as CardState;
      return { ...rest, sum: BigInt(sum), limit: BigInt(limit) };
    } catch (error) {
      const why = messageOf(error);
      throw new ConfigError(`${this.file} is damaged; remove it to start with a new card: ${why}`);
    }
  }

  save(state: CardState): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeDurably(
      this.file,
      JSON.stringify(state, (_, value) => (typeof value === "bigint" ? String(value) : value)),
    );
  }
}
