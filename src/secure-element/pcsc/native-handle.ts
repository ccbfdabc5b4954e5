/**
 * One context for one connection at a time, with a time limit on each call.
 *
 * A native call cannot be cancelled, and one that hangs keeps its thread. So while a call hangs no other is begun on
 * this reader, and who asks gets that as an answer at once.
 */

import { CardError } from "../card-reader.js";
import type { CardContext } from "./binding.js";

export class NativeHandle {
  private running: Promise<unknown> | undefined;
  /** A call is over its time limit and has not come back. */
  private hangs = false;

  constructor(
    private readonly context: CardContext,
    private readonly timeLimit: number,
  ) {}

  get stuck(): boolean {
    return this.hangs;
  }

  /**
   * Begins a native call when the one before is over.
   * @throws CardError, not sent, where that one hangs; CardError `no-answer` where this one does; what the call throws
   */
  async call<T>(begin: (context: CardContext) => Promise<T>): Promise<T> {
    while (this.running !== undefined) {
      if (this.hangs)
        throw new CardError("no-answer", "the card still has not ended an earlier command", { sent: false });
      await this.running;
    }
    const result = begin(this.context);
    const running = result
      .catch(() => undefined)
      .then(() => {
        this.running = undefined;
        this.hangs = false;
      });
    this.running = running;
    return this.limited(result);
  }

  /** Resolves when no call runs, however long that takes. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  /** Gives the context and its thread back, as soon as no call runs. */
  async release(): Promise<void> {
    await this.idle();
    await this.context.release();
  }

  private limited<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.hangs = true;
        reject(new CardError("no-answer", `the card has not answered in ${this.timeLimit} ms`));
      }, this.timeLimit);
      result.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
