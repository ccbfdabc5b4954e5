/**
 * The memory of a card whose receipts are in a store. Most signatures are not written to the card's file, because the
 * commit of the sale makes them durable. After a loss of power, the card's state is rebuilt from its file and the
 * receipts in the store.
 */
import { splitSignAnswer } from "../../src/fiscal/sign-answer.js";
import { readSignedHeader } from "../../src/fiscal/signing-header.js";
import { afterSale, CardMemory, type CardState, copyOf, type FolderMemory } from "./card-state.js";
import type { CardProfile } from "./profile.js";

/** The answers that the store has after `answer`, oldest first: header, counters, internal data, signature. */
export type SignedAfter = (uid: string, totalCounter: number, answer: Uint8Array) => readonly Uint8Array[];

/** Number of signatures after which the card's file is written. It limits the receipts that a start has to read. */
export const MOST_UNSAVED = 1000;

export class StoredMemory extends CardMemory {
  private state: CardState | undefined;
  private unsaved = 0;
  /** A start needs a last answer in the file, to find the later signatures in the store. */
  private fileNamesASignature = false;

  constructor(
    private readonly file: FolderMemory,
    private readonly profile: Pick<CardProfile, "uid" | "addsToSum">,
    private readonly signedAfter: SignedAfter,
    /** 0 if this process does not have the store with the receipts. */
    private readonly mostUnsaved: number,
  ) {
    super();
  }

  load(): CardState {
    this.state ??= this.replayedFromStore(this.file.load());
    return copyOf(this.state);
  }

  save(state: CardState): void {
    this.write(state);
    this.fileNamesASignature = false;
  }

  override saveSigned(state: CardState): void {
    if (!this.fileNamesASignature || this.unsaved >= this.mostUnsaved) {
      this.write(state);
      this.fileNamesASignature = true;
      return;
    }
    this.state = copyOf(state);
    this.unsaved++;
  }

  override flush(): void {
    if (this.unsaved > 0 && this.state) this.write(this.state);
  }

  private write(state: CardState): void {
    this.file.save(state);
    this.state = copyOf(state);
    this.unsaved = 0;
  }

  private replayedFromStore(state: CardState): CardState {
    if (state.lastAnswer === null) return state;
    const { uid, addsToSum } = this.profile;
    const answers = this.signedAfter(uid, state.totalCounter, Buffer.from(state.lastAnswer, "hex"));
    return answers.reduce((before, answer) => afterSignature(before, Buffer.from(answer), addsToSum), state);
  }
}

function afterSignature(state: CardState, answer: Buffer, addsToSum: CardProfile["addsToSum"]): CardState {
  const { header, transactionTypeCounter, totalCounter } = splitSignAnswer(answer);
  // Ignore the signature: another card made it, or this card made it before its counters were set.
  if (totalCounter !== state.totalCounter + 1) return state;
  const counted = afterSale(state, readSignedHeader(header), transactionTypeCounter, addsToSum);
  return { ...counted, lastAnswer: answer.toString("hex") };
}
