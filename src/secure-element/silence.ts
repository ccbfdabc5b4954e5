/** Notices a card that does not answer, long before its driver gives up. */
import type { CardChannel } from "./card-reader.js";

/** ms without an answer. A signature takes up to 1.5 s. */
const SILENT_AFTER = 2_000;

export class Silence {
  private lasting = false;

  /** @param changed called when it begins, and when the card answers after all */
  constructor(private readonly changed: () => void) {}

  /** Whether the command that is under way has waited too long. */
  get lasts(): boolean {
    return this.lasting;
  }

  /** A channel whose commands are watched. */
  over(channel: CardChannel): CardChannel {
    return { transmit: (command) => this.during(channel.transmit(command)), close: () => channel.close() };
  }

  /** Runs one exchange. A failed one has already changed the state of the card. */
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
