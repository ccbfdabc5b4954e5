/** Notices that a card does not answer, long before the reader's driver gives up. */
import type { CardChannel } from "./card-reader.js";

/** A signature takes up to 1.5 s. */
const SILENT_AFTER_MS = 2_000;

export class Silence {
  private lasting = false;

  /** @param changed called when the silence begins, and when the card answers after all */
  constructor(private readonly changed: () => void) {}

  /** Whether the current command has had no answer for 2 s. */
  get lasts(): boolean {
    return this.lasting;
  }

  /** Returns a channel that sends its commands through the given channel and watches each of them. */
  over(channel: CardChannel): CardChannel {
    return { transmit: (command) => this.during(channel.transmit(command)), close: () => channel.close() };
  }

  /**
   * Watches one exchange. If the exchange fails, `during` does not report the end of the silence, because the card's
   * state then changes anyway.
   */
  async during<T>(exchange: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.lasting = true;
      this.changed();
    }, SILENT_AFTER_MS).unref();
    let wasSilent = false;
    try {
      const answer = await exchange;
      wasSilent = this.lasting;
      return answer;
    } finally {
      clearTimeout(timer);
      this.lasting = false;
      if (wasSilent) this.changed();
    }
  }
}
