/** The emulated card behind the port that real readers have. */
import { EventEmitter } from "node:events";
import {
  type CardChannel,
  CardError,
  type CardFault,
  type CardReader,
  type SlotState,
} from "../../src/secure-element/card-reader.js";
import type { EmulatedCard } from "./emulated-card.js";

export class EmulatedReader extends EventEmitter<{ inserted: []; removed: [] }> implements CardReader {
  private card: EmulatedCard | undefined;
  private readonly channels = new Set<EmulatedChannel>();

  get slot(): SlotState {
    return this.card ? "card" : "empty";
  }

  get description(): string {
    return this.card ? `emulated reader with card ${this.card.profile.uid}` : "no card in the emulated reader";
  }

  async start(): Promise<void> {}

  insert(card: EmulatedCard): void {
    if (this.card) this.remove();
    card.reset();
    this.card = card;
    this.emit("inserted");
  }

  remove(): void {
    this.breakChannels("removed", "the card was pulled out");
    this.card?.reset();
    this.card = undefined;
    this.emit("removed");
  }

  /** A warm reset, as another program's would be: sessions are gone, the card stays. */
  reset(): void {
    this.breakChannels("reset", "the card was reset");
    this.card?.reset();
  }

  async connect(): Promise<CardChannel> {
    if (!this.card) throw new CardError("removed", this.description);
    const channel = new EmulatedChannel(this.card);
    this.channels.add(channel);
    return channel;
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

  constructor(private readonly card: EmulatedCard) {}

  /** Ends at once when the card is pulled out, even where the card is still computing: its counters may move. */
  async transmit(command: Uint8Array): Promise<Uint8Array> {
    if (this.broken) throw new CardError(this.broken.fault, this.broken.message, { sent: false });
    const answer = this.card.transmit(command);
    return new Promise((resolve, reject) => {
      this.rejectPending = reject;
      answer.then(resolve, (error: unknown) => {
        reject(new CardError("no-answer", "the emulated card failed", { cause: error }));
      });
    });
  }

  break(fault: CardFault, message: string): void {
    this.broken = { fault, message };
    this.rejectPending?.(new CardError(fault, message));
  }

  async close(): Promise<void> {
    this.broken ??= { fault: "no-answer", message: "the connection is closed" };
  }
}
