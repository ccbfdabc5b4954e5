/** Watches the readers of this machine and whether they have a card, as PC/SC reports. */
import { EventEmitter } from "node:events";
import {
  type PcscBinding,
  type ReaderState,
  STATE_MUTE,
  STATE_PRESENT,
  sameStates,
  type WatchContext,
} from "./binding.js";
import { type NoPcsc, pcscCode } from "./pcsc-errors.js";

export interface ReaderStatus {
  readonly name: string;
  readonly hasCard: boolean;
  /** Whether the card did not respond to power: it may be the wrong way round, dirty, or not a chip card. */
  readonly isMute: boolean;
  /** Value that changes when the card is pulled out and inserted again. */
  readonly insertion: string;
}

export type WatchState = "closed" | NoPcsc | "no-service" | "watching";

/** Maximum ms until we notice a reader that PC/SC did not report. macOS never reports new readers. */
const WAIT_LIMIT_MS = 1_000;

export class ReaderWatch extends EventEmitter<{ changed: [] }> {
  private phase: WatchState = "closed";
  private readonly context: WatchContext;
  private retry: NodeJS.Timeout | undefined;
  private known: readonly ReaderState[] = [];
  /** Number of connections to pcscd so far. A connection to a card does not survive a restart of pcscd. */
  private starts = 0;
  private isClosed = false;

  constructor(
    binding: PcscBinding,
    private readonly retryDelayMs: number,
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

  /** Whether the watch could not be ended, so that a normal process exit would wait for it. */
  get stuck(): boolean {
    return this.context.isStuck;
  }

  /** All readers, sorted by name. */
  get readers(): ReaderStatus[] {
    return this.known.map((reader) => this.statusOf(reader)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Resolves when the current readers are known. */
  async start(): Promise<void> {
    try {
      await this.context.establish();
      if (this.isClosed) return;
      this.starts += 1;
      this.known = await this.context.wait([], 0);
      this.phase = "watching";
    } catch (error) {
      this.lost(error);
      return;
    }
    void this.follow();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    this.phase = "closed";
    this.known = [];
    await this.context.release();
  }

  private async follow(): Promise<void> {
    try {
      while (!this.isClosed) {
        const now = await this.context.wait(this.known, WAIT_LIMIT_MS);
        if (this.isClosed || sameStates(now, this.known)) continue;
        this.known = now;
        this.emit("changed");
      }
    } catch (error) {
      this.lost(error);
    }
  }

  private async reopen(): Promise<void> {
    await this.start();
    if (this.phase === "watching") this.emit("changed");
  }

  private lost(error: unknown): void {
    if (this.isClosed) return;
    const before = this.phase;
    this.known = [];
    const code = pcscCode(error);
    this.phase = typeof code === "string" ? code : "no-service";
    // Retry, except for a missing module: a library or a service may be installed meanwhile.
    if (this.phase !== "no-module") this.retry = setTimeout(() => void this.reopen(), this.retryDelayMs);
    if (this.phase !== before) this.emit("changed");
  }

  private statusOf({ name, state }: ReaderState): ReaderStatus {
    return {
      name,
      hasCard: (state & STATE_PRESENT) !== 0,
      isMute: (state & STATE_MUTE) !== 0,
      // The upper half of the state counts insertions and removals, so it also shows changes that PC/SC did not report.
      insertion: `${this.starts}.${state >>> 16}`,
    };
  }
}
