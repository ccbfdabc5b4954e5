/** An emulated reader and card, with the same interface as a real reader. */
import { EventEmitter } from "node:events";
import {
  type CardChannel,
  CardError,
  type CardFault,
  type CardReader,
  type SlotState,
} from "../../src/secure-element/card-reader.js";
import type { CardReason } from "../../src/secure-element/card-reason.js";
import type { EmulatedCard } from "./emulated-card.js";

/** Code that runs between reader and card. It applies faults and logs the traffic. */
export interface CardIntercept {
  connect(run: () => Promise<void>): Promise<void>;
  /** Exchanges a command with the card. @param connected throws if the connection has broken in the meantime */
  exchange(command: Uint8Array, run: () => Promise<Uint8Array>, connected: () => void): Promise<Uint8Array>;
}

const PASS: CardIntercept = { connect: (run) => run(), exchange: (_command, run) => run() };

export class EmulatedReader extends EventEmitter<{ inserted: []; removed: [] }> implements CardReader {
  private inSlot: EmulatedCard | undefined;
  private plugged = true;
  private readonly channels = new Set<EmulatedChannel>();

  constructor(private readonly intercept: CardIntercept = PASS) {
    super();
  }

  get card(): EmulatedCard | undefined {
    return this.inSlot;
  }

  get slot(): SlotState {
    if (!this.plugged) return "no-reader";
    return this.inSlot ? "card" : "empty";
  }

  get description(): string {
    if (!this.plugged) return "the emulated reader is unplugged";
    return this.inSlot ? `emulated reader with card ${this.inSlot.profile.uid}` : "no card in the emulated reader";
  }

  get why(): CardReason {
    if (!this.plugged) return { code: "unplugged" };
    return { code: this.inSlot ? "reading" : "noCard" };
  }

  async start(): Promise<void> {}

  insert(card: EmulatedCard): void {
    if (this.inSlot) this.remove();
    card.reset();
    this.inSlot = card;
    if (this.plugged) this.emit("inserted");
  }

  remove(): void {
    this.breakChannels("removed", "the card was pulled out");
    this.inSlot?.reset();
    this.inSlot = undefined;
    this.emit("removed");
  }

  unplug(): void {
    this.breakChannels("reader-lost", "the reader was unplugged");
    this.inSlot?.reset();
    this.plugged = false;
    this.emit("removed");
  }

  plug(): void {
    this.plugged = true;
    if (this.inSlot) this.emit("inserted");
  }

  /** A warm reset, as by another program: it ends all sessions, and the card stays in the reader. */
  reset(): void {
    this.breakChannels("reset", "the card was reset");
    this.inSlot?.reset();
  }

  async connect(): Promise<CardChannel> {
    const card = this.cardThere();
    await this.intercept.connect(async () => undefined);
    // The card may have been pulled out or swapped during the connection attempt.
    if (this.cardThere() !== card) throw new CardError("removed", "the card was swapped", { sent: false });
    const channel = new EmulatedChannel(card, this.intercept, () => this.channels.delete(channel));
    this.channels.add(channel);
    return channel;
  }

  private cardThere(): EmulatedCard {
    const card = this.inSlot;
    if (card && this.plugged) return card;
    throw new CardError(card ? "reader-lost" : "removed", this.description, { sent: false });
  }

  async close(): Promise<void> {
    this.breakChannels("reader-lost", "the emulated reader was closed");
  }

  private breakChannels(fault: CardFault, message: string): void {
    for (const channel of this.channels) channel.break(fault, message);
    this.channels.clear();
  }
}

class EmulatedChannel implements CardChannel {
  private broken: { readonly fault: CardFault; readonly message: string } | undefined;
  private rejectPending: ((error: CardError) => void) | undefined;

  constructor(
    private readonly card: EmulatedCard,
    private readonly intercept: CardIntercept,
    private readonly closed: () => void,
  ) {}

  /** Rejects at once when the card is pulled out. The card may still execute the command and raise its counters. */
  async transmit(command: Uint8Array): Promise<Uint8Array> {
    const connected = () => {
      if (this.broken) throw new CardError(this.broken.fault, this.broken.message, { sent: false });
    };
    connected();
    // The command may wait before the card gets it, and the card may be pulled out in that time.
    const run = async () => {
      connected();
      return this.card.transmit(command);
    };
    const answer = this.intercept.exchange(command, run, connected);
    return new Promise((resolve, reject) => {
      this.rejectPending = reject;
      answer.then(resolve, (error: unknown) => {
        if (error instanceof CardError) reject(error);
        else reject(new CardError("no-answer", "the emulated card failed", { cause: error }));
      });
    });
  }

  break(fault: CardFault, message: string): void {
    this.broken = { fault, message };
    this.rejectPending?.(new CardError(fault, message));
  }

  async close(): Promise<void> {
    this.broken ??= { fault: "no-answer", message: "the connection is closed" };
    this.closed();
  }
}
