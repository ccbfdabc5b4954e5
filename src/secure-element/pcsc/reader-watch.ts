/** The readers of this machine and whether a card is in them, as PC/SC reports it. */
import { EventEmitter } from "node:events";
import {
  BindingMissing,
  type PcscBinding,
  type ReaderState,
  STATE_MUTE,
  STATE_PRESENT,
  sameStates,
  type WatchContext,
} from "./binding.js";

export interface ReaderStatus {
  readonly name: string;
  readonly hasCard: boolean;
  /** The card is there and did not answer to power: wrong way round, dirty, or no chip card. */
  readonly isMute: boolean;
  /** Another number where the card was pulled out and put in again. */
  readonly insertion: string;
}

export type WatchState = "closed" | "no-module" | "no-library" | "no-service" | "watching";

/** ms: so late at most a reader is seen that PC/SC did not report, which macOS never does. */
const WAIT_LIMIT = 1_000;

export class ReaderWatch extends EventEmitter<{ changed: [] }> {
  private phase: WatchState = "closed";
  private readonly context: WatchContext;
  private retry: NodeJS.Timeout | undefined;
  private known: readonly ReaderState[] = [];
  /** Counts the starts of pcscd that were seen: no connection outlives one. */
  private starts = 0;
  private isClosed = false;

  constructor(
    binding: PcscBinding,
    private readonly retryDelay: number,
  ) {
    super();
    this.context = binding.watcher();
  }

  get state(): WatchState {
    return this.phase;
  }

  get generation(): number {
    return this.starts;
  }

  /** What watches could not be ended: the process cannot end in the ordinary way, which waits for it. */
  get stuck(): boolean {
    return this.context.isStuck;
  }

  /** In the order of their names. */
  get readers(): ReaderStatus[] {
    return this.known.map((reader) => this.statusOf(reader)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Resolves when the readers that are there now are known. */
  async start(): Promise<void> {
    try {
      await this.open();
    } catch (error) {
      this.lost(error);
      return;
    }
    void this.follow();
  }

  async close(options: { readonly endsWithProcess: boolean }): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    this.phase = "closed";
    this.known = [];
    await this.context.release(options);
  }

  private async open(): Promise<void> {
    await this.context.establish();
    if (this.isClosed) return;
    this.starts += 1;
    this.known = await this.context.wait([], 0);
    this.phase = "watching";
  }

  private async follow(): Promise<void> {
    try {
      while (!this.isClosed) {
        const now = await this.context.wait(this.known, WAIT_LIMIT);
        if (this.isClosed || sameStates(now, this.known)) continue;
        this.known = now;
        this.emit("changed");
      }
    } catch (error) {
      this.lost(error);
    }
  }

  private async reopen(): Promise<void> {
    try {
      await this.open();
    } catch (error) {
      this.lost(error);
      return;
    }
    if (this.isClosed) return;
    this.emit("changed");
    await this.follow();
  }

  private lost(error: unknown): void {
    if (this.isClosed) return;
    const before = this.phase;
    this.known = [];
    this.phase = error instanceof BindingMissing ? error.missing : "no-service";
    // A module is not loaded twice; a library or a service may be installed while this runs.
    if (this.phase !== "no-module") this.retry = setTimeout(() => void this.reopen(), this.retryDelay);
    if (this.phase !== before) this.emit("changed");
  }

  private statusOf({ name, state }: ReaderState): ReaderStatus {
    return {
      name,
      hasCard: (state & STATE_PRESENT) !== 0,
      isMute: (state & STATE_MUTE) !== 0,
      // The upper half counts insertions and removals: events that came too fast to be told apart show here.
      insertion: `${this.starts}.${state >>> 16}`,
    };
  }
}
