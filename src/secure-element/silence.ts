/** Notices that a card does not answer, long before its driver gives up. */
import type { CardChannel } from "./card-reader.js";

/** ms without an answer. A signature takes up to 1.5 s. */
const SILENT_AFTER = 2_000;

export class Silence {
  private lasting = false;

  /** @param changed called when the silence begins, and when the card answers after all */
  constructor(private readonly changed: () => void) {}

  /** Whether the current command has taken too long. */
  get lasts(): boolean {
    return this.lasting;
  }

  /** A channel whose commands are watched. */
  over(channel: CardChannel): CardChannel {
    return { transmit: (command) => this.during(channel.transmit(command)), close: () => channel.close() };
  }

  /** Watches one exchange. Does not report the end of the silence after a failure: the card's state then changes anyway. */
  async during<T>(exchange: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.lasting = true;
      this.changed();
    }, SILENT_AFTER).unref();
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
