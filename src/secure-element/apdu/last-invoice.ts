/**
 * Asks the card for its last invoice. Only the answer shows what became of a sale in doubt, so an odd answer must not count as
 * "the card does not have this command".
 */
import { CardError } from "../card-reader.js";
import type { LastSignedOutcome } from "../secure-element.js";
import { AMOUNT_STATUS_BYTES, type CardSession } from "./card-session.js";
import { EXTENDED_LE_MAX } from "./command.js";
import { INS } from "./instructions.js";
import type { ResponseApdu } from "./response.js";
import { decodeSignAnswer } from "./sign-format.js";
import { describeStatusWord, SW } from "./status-words.js";

/** After this many questions without an answer, the service stops asking this card: otherwise the card could never sell. */
const MOST_SILENCES = 3;

export class LastInvoice {
  /** Consecutive answers that make no sense. */
  private odd = 0;
  /** Consecutive attempts without an answer, after which the connection was broken. */
  private silences = 0;

  /**
   * An odd answer may come from another applet: after the first one, this applet is selected again.
   * @throws CardError
   */
  async ask(session: CardSession): Promise<LastSignedOutcome> {
    const answer = await this.askOnce(session);
    if (answer.kind !== "odd" || this.odd !== 1) return answer;
    await session.select();
    return this.askOnce(session);
  }

  /** Whether the connection may be out of step: then reconnect the card, which ends its PIN session, and ask once more. */
  get needsConnection(): boolean {
    return this.odd === 2;
  }

  /** Forgets earlier odd answers and silences. */
  forget(): void {
    this.odd = 0;
    this.silences = 0;
  }

  private async askOnce(session: CardSession): Promise<LastSignedOutcome> {
    const outcome = await this.outcome(session);
    if (outcome.kind === "odd") this.odd++;
    if (outcome.kind === "signed" || outcome.kind === "nothing-signed") this.forget();
    return outcome;
  }

  private async outcome(session: CardSession): Promise<LastSignedOutcome> {
    if (this.silences >= MOST_SILENCES) {
      return { kind: "odd", reason: "the card breaks off when it is asked for its last invoice" };
    }
    const answer = await this.answer(session);
    switch (answer.statusWord) {
      case SW.DONE: {
        // We do not know whether this command has a CRC too.
        const signature = decodeSignAnswer(answer.data);
        if (signature) return { kind: "signed", signature };
        return { kind: "odd", reason: `Last signed invoice answered ${answer.data.length} odd bytes` };
      }
      case SW.NO_SUCH_DATA:
        return { kind: "nothing-signed" };
      case SW.PIN_REQUIRED:
        return { kind: "pin-required" };
      case SW.UNKNOWN_INS:
      case SW.UNKNOWN_CLA:
      case SW.NOT_SUPPORTED:
      case SW.WRONG_P1P2:
        // Every secure element knows Amount Status: if another applet is selected, this shows it.
        await session.exchange({ ins: INS.AMOUNT_STATUS, le: AMOUNT_STATUS_BYTES });
        return { kind: "no-command" };
      default:
        return { kind: "odd", reason: `Last signed invoice answered ${describeStatusWord(answer.statusWord)}` };
    }
  }

  private async answer(session: CardSession): Promise<ResponseApdu> {
    try {
      return await session.exchange({ ins: INS.LAST_SIGNED_INVOICE, le: EXTENDED_LE_MAX });
    } catch (error) {
      if (error instanceof CardError && error.fault === "no-answer" && error.sent) this.silences++;
      throw error;
    }
  }
}
