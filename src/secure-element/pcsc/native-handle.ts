/**
 * One native object for one connection at a time, with a time limit on each call.
 *
 * A native call cannot be cancelled. One that hangs keeps its thread of libuv's pool, of which there are four, and
 * the pool also does files and DNS; so while a call hangs no other is begun on this reader, and whoever asks is told
 * so at once.
 *
 * It is not the object that pcsclite watches the reader with: that one's events take, on the main thread, the lock
 * that its transmit holds, and a hung card would stop the whole service.
 */
import { CardError } from "../card-reader.js";
import type { NativeCallback, NativeReader, NativeReaderClass } from "./pcsclite.js";

/**
 * The destructor of pcsclite 1.0.1 joins a status thread that only the watching objects have, through a field that
 * is never initialised. An object without one must therefore never be collected; there is one for each reader and
 * each start of pcscd.
 */
const neverCollected: NativeReader[] = [];

export class NativeHandle {
  private readonly native: NativeReader;
  private running: Promise<unknown> | undefined;
  /** A call is over its time limit and has not come back. */
  private hangs = false;

  constructor(
    ReaderClass: NativeReaderClass,
    name: string,
    private readonly timeLimit: number,
  ) {
    this.native = new ReaderClass(name);
    neverCollected.push(this.native);
  }

  get stuck(): boolean {
    return this.hangs;
  }

  /** Between a connect and a disconnect that both succeeded; pcsclite connects no object twice. */
  get connected(): boolean {
    return this.native.connected;
  }

  /**
   * Begins a native call when the one before is over.
   * @throws CardError, not sent, where that one hangs; CardError `no-answer` where this one does; what the call throws
   */
  async call<T>(begin: (native: NativeReader, done: NativeCallback<T>) => void): Promise<T> {
    while (this.running !== undefined) {
      if (this.hangs)
        throw new CardError("no-answer", "the card still has not ended an earlier command", { sent: false });
      await this.running;
    }
    const result = new Promise<T>((resolve, reject) => {
      begin(this.native, (error, value) => (error ? reject(error) : resolve(value)));
    });
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
    await this.running;
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
