/**
 * A context for one connection at a time, with a time limit for each call.
 * A native call cannot be cancelled, and a hanging call blocks its thread. While a call hangs, no other call is started
 * on this reader, and callers get an error at once.
 */

import { CardError } from "../card-reader.js";
import type { CardContext } from "./binding.js";

export class NativeHandle {
  /** Whether a call has exceeded its time limit and has not returned. */
  stuck = false;
  private running: Promise<unknown> | undefined;
  private released: Promise<void> | undefined;

  constructor(
    private readonly context: CardContext,
    private readonly timeLimitMs: number,
  ) {}

  /**
   * Starts a native call when the previous one is over.
   * @throws CardError `no-answer` if the previous call hangs (with `sent` false) or if this call hangs; the call's own
   * errors
   */
  async call<T>(begin: (context: CardContext) => Promise<T>): Promise<T> {
    while (this.running !== undefined) {
      if (this.stuck) {
        throw new CardError("no-answer", "the card still has not ended an earlier command", { sent: false });
      }
      await this.running;
    }
    const result = begin(this.context);
    const running = result
      .catch(() => undefined)
      .then(() => {
        this.running = undefined;
        this.stuck = false;
      });
    this.running = running;
    return this.limited(result);
  }

  /** Resolves when no call runs, however long that takes. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  /** Releases the context and its thread as soon as no call runs. */
  release(): Promise<void> {
    this.released ??= this.idle().then(() => this.context.release());
    return this.released;
  }

  private limited<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.stuck = true;
        reject(new CardError("no-answer", `the card has not answered in ${this.timeLimitMs} ms`));
      }, this.timeLimitMs);
      result.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
