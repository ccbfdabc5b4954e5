/** The readers of this machine and whether a card is in them, as PC/SC reports it: nothing is polled. */
import { EventEmitter } from "node:events";
import {
  type LoadedModule,
  type NativeContext,
  type NativeReader,
  type NativeReaderClass,
  STATE_MUTE,
  STATE_PRESENT,
} from "./pcsclite.js";

export interface ReaderStatus {
  readonly name: string;
  readonly hasCard: boolean;
  /** The card is there and did not answer to power: wrong way round, dirty, or no chip card. */
  readonly isMute: boolean;
  /** Another number where the card was pulled out and put in again. */
  readonly insertion: string;
}

export type WatchState = "closed" | "no-module" | "no-service" | "watching";

/** ms after which a machine is taken to have no reader: PC/SC reports readers, not that there is none. */
const FIRST_REPORT_LIMIT = 1_000;

export class ReaderWatch extends EventEmitter<{ changed: [] }> {
  private phase: WatchState = "closed";
  private context: NativeContext | undefined;
  private retry: NodeJS.Timeout | undefined;
  private readonly statuses = new Map<string, ReaderStatus>();
  /** Counts the starts of pcscd that were seen: nothing native outlives one. */
  private starts = 0;
  private nativeClass: NativeReaderClass | undefined;

  constructor(
    private readonly module: LoadedModule,
    private readonly retryDelay: number,
  ) {
    super();
  }

  get state(): WatchState {
    return this.phase;
  }

  get generation(): number {
    return this.starts;
  }

  /** In the order of their names. */
  get readers(): ReaderStatus[] {
    return [...this.statuses.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** What a connection is made of. */
  get ReaderClass(): NativeReaderClass | undefined {
    return this.nativeClass;
  }

  /** Resolves when the readers that are there now have been reported. */
  async start(): Promise<void> {
    if (this.module.outcome === "no-module") {
      this.phase = "no-module";
      return;
    }
    const first = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, FIRST_REPORT_LIMIT);
      const reported = () => {
        if (this.isWaiting()) return;
        clearTimeout(timer);
        this.off("changed", reported);
        resolve();
      };
      this.on("changed", reported);
    });
    this.open();
    if (this.phase === "watching") await first;
  }

  close(): void {
    clearTimeout(this.retry);
    this.phase = "closed";
    this.release();
  }

  private isWaiting(): boolean {
    const known = Object.keys(this.context?.readers ?? {});
    return this.phase === "watching" && known.some((name) => !this.statuses.has(name));
  }

  private open(): void {
    if (this.module.outcome === "no-module") return;
    let context: NativeContext;
    try {
      context = this.module.open();
    } catch {
      this.lost();
      return;
    }
    this.context = context;
    this.starts += 1;
    this.phase = "watching";
    context.on("reader", (reader) => this.follow(context, reader));
    context.on("error", () => this.lostLater(context));
  }

  private follow(context: NativeContext, reader: NativeReader): void {
    this.nativeClass = reader.constructor as NativeReaderClass;
    reader.on("status", ({ state }) => {
      if (this.context !== context) return;
      this.statuses.set(reader.name, {
        name: reader.name,
        hasCard: (state & STATE_PRESENT) !== 0,
        isMute: (state & STATE_MUTE) !== 0,
        // The upper half counts insertions and removals: events that came too fast to be told apart show here.
        insertion: `${this.starts}.${state >>> 16}`,
      });
      this.emit("changed");
    });
    reader.on("end", () => {
      if (this.context !== context) return;
      this.statuses.delete(reader.name);
      this.emit("changed");
    });
    // Where pcscd dies each reader fails, and the context with them.
    reader.on("error", () => this.lostLater(context));
  }

  /** pcsclite reports while it holds the lock that closing takes, so closing must not happen in the report. */
  private lostLater(context: NativeContext): void {
    setImmediate(() => {
      if (this.context === context) this.lost();
    });
  }

  private lost(): void {
    this.release();
    this.phase = "no-service";
    this.retry = setTimeout(() => this.open(), this.retryDelay);
    this.emit("changed");
  }

  private release(): void {
    const { context } = this;
    this.context = undefined;
    this.statuses.clear();
    if (!context) return;
    for (const reader of Object.values(context.readers)) reader.close();
    context.close();
  }
}
