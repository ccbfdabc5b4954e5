/** Presents this machine's readers as one reader: chooses a reader, and uses it as long as its card stays inserted. */
import { EventEmitter } from "node:events";
import { Mutex } from "../../base/mutex.js";
import { type CardChannel, CardError, type CardReader, EXCHANGE_LIMIT_MS, type SlotState } from "../card-reader.js";
import type { CardReason } from "../card-reason.js";
import type { PcscBinding, PcscModule } from "./binding.js";
import { koffiBinding } from "./koffi-context.js";
import { explainMissing, type Missing } from "./missing.js";
import { NativeHandle } from "./native-handle.js";
import { PcscChannel } from "./pcsc-channel.js";
import { pcscliteBinding } from "./pcsclite-binding.js";
import { type ReaderStatus, ReaderWatch } from "./reader-watch.js";

export interface PcscReaderOptions {
  /** Name of the reader or a part of its name. Default: the first reader whose card passes the probe. */
  readonly reader?: string | undefined;
  /** Finds out whether a card is suitable, because the driver cannot know this. */
  readonly probe: (channel: CardChannel) => Promise<boolean>;
  /** Whether closing a connection ends the card's sessions: yes for a program that verifies a PIN. */
  readonly resetAtEnd: boolean;
  readonly timeLimitMs?: number;
  /** ms between attempts to reach pcscd while it does not run. */
  readonly retryDelayMs?: number;
  readonly binding: PcscBinding;
}

const RETRY_DELAY_MS = 1_000;
const BINDINGS: Readonly<Record<PcscModule, PcscBinding>> = { koffi: koffiBinding, pcsclite: pcscliteBinding() };

export function bindingOf(module: PcscModule): PcscBinding {
  return BINDINGS[module];
}

export class PcscReader extends EventEmitter<{ inserted: []; removed: [] }> implements CardReader {
  private readonly watch: ReaderWatch;
  private readonly mutex = new Mutex();
  /** The handle of each reader; its name comes after the generation of the watch. */
  private readonly handles = new Map<string, NativeHandle>();
  private chosen: ReaderStatus | undefined;
  private isProven = false;
  private channel: PcscChannel | undefined;

  constructor(private readonly options: PcscReaderOptions) {
    super();
    this.watch = new ReaderWatch(options.binding, options.retryDelayMs ?? RETRY_DELAY_MS);
  }

  get slot(): SlotState {
    if (this.chosen) return "card";
    return this.watch.state === "watching" && this.candidates.length > 0 ? "empty" : "no-reader";
  }

  get missing(): Missing | undefined {
    const { state } = this.watch;
    if (state === "no-module" || state === "no-library" || state === "no-service") return state;
    if (this.candidates.length === 0) return "no-reader";
    return this.candidates.some(({ hasCard }) => hasCard) ? undefined : "no-card";
  }

  get description(): string {
    return this.explained?.text ?? (this.chosen ? `reader ${this.chosen.name}` : "a card is being looked at");
  }

  get why(): CardReason {
    return this.explained?.why ?? { code: "reading" };
  }

  private get explained() {
    const { missing, options } = this;
    return missing && explainMissing(missing, { module: options.binding.module, reader: options.reader });
  }

  /** All readers, not only the chosen one. */
  get readers(): readonly ReaderStatus[] {
    return this.watch.readers;
  }

  /** Whether a native call hangs, so that a normal process exit would wait for it. */
  get stuck(): boolean {
    return this.watch.stuck || [...this.handles.values()].some((handle) => handle.stuck);
  }

  async start(): Promise<void> {
    this.watch.on("changed", this.onChanged);
    await this.watch.start();
    await this.mutex.run(() => this.choose());
  }

  connect(): Promise<CardChannel> {
    return this.mutex.run(async () => {
      if (!this.isProven) await this.choose();
      const { chosen } = this;
      if (!chosen) {
        throw new CardError(this.slot === "empty" ? "removed" : "reader-lost", this.description, { sent: false });
      }
      await this.channel?.close();
      if (this.chosen !== chosen) throw new CardError("removed", this.description, { sent: false });
      this.channel = await PcscChannel.open(this.handleFor(chosen.name), chosen.name, this.options.resetAtEnd);
      return this.channel;
    });
  }

  /** Closes the reader without waiting for a hanging card. */
  async close(): Promise<void> {
    this.watch.off("changed", this.onChanged);
    this.channel?.break("reader-lost", "the reader is closed");
    await this.channel?.close();
    this.chosen = undefined;
    const ends = [...this.handles.values()].map((handle) => [handle.release(), handle.stuck] as const);
    // A handle whose call hangs is released when that call ends. Do not wait for this.
    await Promise.all(ends.filter(([, hangs]) => !hangs).map(([released]) => released));
    await this.watch.close();
  }

  private get candidates(): ReaderStatus[] {
    const { reader: wanted } = this.options;
    const { readers } = this.watch;
    if (wanted === undefined) return readers;
    const exact = readers.filter(({ name }) => name === wanted);
    return exact.length > 0 ? exact : readers.filter(({ name }) => name.includes(wanted));
  }

  private readonly onChanged = (): void => {
    this.dropIfGone();
    void this.mutex.run(() => this.choose()).catch(() => undefined);
  };

  private dropIfGone(): void {
    const { chosen } = this;
    if (!chosen) return;
    const now = this.watch.readers.find(({ name }) => name === chosen.name);
    if (now?.hasCard && now.insertion === chosen.insertion) return;
    this.chosen = undefined;
    this.isProven = false;
    this.channel?.break(now ? "removed" : "reader-lost", now ? "the card was pulled out" : "the reader is gone");
    this.emit("removed");
  }

  /**
   * Chooses a card. If there are several, takes the first that passes the probe. Otherwise keeps the chosen card or
   * takes the first one; if that card has a problem, the problem shows when the service uses the card. While the chosen
   * card is in use, it asks no card: a second connection would end the PIN session. A card without the applet is closed
   * at once, and the next {@link connect} chooses again.
   */
  private async choose(): Promise<void> {
    if (this.isProven || this.channel?.isOpen) return;
    const cards = this.candidates.filter(({ hasCard }) => hasCard);
    const [first] = cards;
    if (!first) return;
    let proven: ReaderStatus | undefined;
    for (const card of cards.length > 1 ? cards : []) proven ??= (await this.passes(card)) ? card : undefined;
    const next = proven ?? this.chosen ?? first;
    this.isProven = proven !== undefined;
    if (next.name === this.chosen?.name && next.insertion === this.chosen.insertion) return;
    this.chosen = next;
    this.emit("inserted");
    // The chosen card may have been removed while other readers were checked.
    this.dropIfGone();
  }

  private async passes(card: ReaderStatus): Promise<boolean> {
    try {
      const channel = await PcscChannel.open(this.handleFor(card.name), card.name, false);
      try {
        return await this.options.probe(channel);
      } finally {
        await channel.close();
      }
    } catch (error) {
      // Treat an unreachable card as unsuitable.
      if (error instanceof CardError) return false;
      throw error;
    }
  }

  private handleFor(name: string): NativeHandle {
    const generation = `${this.watch.generation} `;
    for (const [key, handle] of this.handles) {
      // Connections do not survive a restart of pcscd.
      if (!key.startsWith(generation)) void handle.release().then(() => this.handles.delete(key));
    }
    const { binding, timeLimitMs = EXCHANGE_LIMIT_MS } = this.options;
    const handle = this.handles.get(generation + name) ?? new NativeHandle(binding.card(), timeLimitMs);
    this.handles.set(generation + name, handle);
    return handle;
  }
}
