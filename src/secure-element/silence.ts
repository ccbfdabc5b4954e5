/** Notices that a card does not answer, long before the reader's driver gives up. */
import { systemClock } from "../base/clock.js";
import type { EpochMs } from "../base/epoch-ms.js";
import { INS } from "./apdu/instructions.js";
import { type CardChannel, EXCHANGE_LIMIT_MS } from "./card-reader.js";

/** Most signatures take up to 1.5 s. */
const SILENT_AFTER_MS = 2_000;

export class Silence {
  private isLong = false;
  /** Since when the card has worked on a signature that takes long. */
  private signing: EpochMs | undefined;

  /** @param changed called when the state changes, also when the card answers after all */
  constructor(private readonly changed: () => void) {}

  /** As {@link SecureElementState} has it: a signature is silence only after as long as a reader waits for it. */
  get state(): { readonly silent: boolean; readonly signingSince: EpochMs | undefined } {
    const { isLong, signing } = this;
    return { silent: isLong && signing === undefined, signingSince: isLong ? signing : undefined };
  }

  /** Returns a channel that sends its commands through the given channel and watches each of them. */
  over(channel: CardChannel): CardChannel {
    return {
      transmit: (command) => this.during(channel.transmit(command), command[1] === INS.sign),
      close: () => channel.close(),
    };
  }

  /** Watches one exchange. Does not report the end of the silence if it fails: the card's state then changes anyway. */
  async during<T>(exchange: Promise<T>, signs = false): Promise<T> {
    this.signing = signs ? systemClock.now() : undefined;
    const after = (ms: number, change: () => void) =>
      setTimeout(() => {
        change();
        this.changed();
      }, ms).unref();
    const timers = [after(SILENT_AFTER_MS, () => (this.isLong = true))];
    if (signs) timers.push(after(EXCHANGE_LIMIT_MS, () => (this.signing = undefined)));
    let wasLong = false;
    try {
      const answer = await exchange;
      wasLong = this.isLong;
      return answer;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      this.isLong = false;
      if (wasLong) this.changed();
    }
  }
}
