/**
 * Asks the card for its last invoice. Only the answer shows whether the card has signed a sale in doubt, so an odd
 * answer must not count as "the card does not have this command".
 */
import { CardError } from "../card-reader.js";
import type { LastSignedOutcome } from "../secure-element.js";
import { AMOUNT_STATUS_BYTES, type CardSession } from "./card-session.js";
import { EXTENDED_LE_MAX } from "./command.js";
import { INS } from "./instructions.js";
import type { ResponseApdu } from "./response.js";
import { decodeSignAnswer } from "./sign-format.js";
import { describeStatusWord, SW } from "./status-words.js";

/** Questions without an answer after which we stop asking this card, which could otherwise never sell. */
const MOST_SILENCES = 3;

export class LastInvoice {
  /** Number of answers that made no sense since the last good answer. */
  private odd = 0;
  /** Number of questions without an answer since the last good answer. Each of them broke the connection. */
  private silences = 0;

  /**
   * Asks the card for its last invoice. An odd answer may come from another applet, so after the first odd answer `ask`
   * selects the secure element applet and asks again.
   * @param reselect selects the applet, and restores the PIN session that this ends
   * @throws CardError
   */
  async ask(session: CardSession, reselect: () => Promise<void>): Promise<LastSignedOutcome> {
    const answer = await this.askOnce(session);
    if (answer.kind !== "odd" || this.odd !== 1) return answer;
    await reselect();
    return this.askOnce(session);
  }

  /** Whether two odd answers came: the connection may be faulty, so the caller reconnects and asks once more. */
  get needsConnection(): boolean {
    return this.odd === 2;
  }

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
        // `decodeSignAnswer` accepts answers with and without a CRC: we do not know whether this answer has one.
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
        // Every secure element knows Amount Status: if another applet is selected, this exchange throws AppletLost.
        await session.exchange({ ins: INS.amountStatus, le: AMOUNT_STATUS_BYTES });
        return { kind: "no-command" };
      default:
        return { kind: "odd", reason: `Last signed invoice answered ${describeStatusWord(answer.statusWord)}` };
    }
  }

  private async answer(session: CardSession): Promise<ResponseApdu> {
    try {
      return await session.exchange({ ins: INS.lastSigned, le: EXTENDED_LE_MAX });
    } catch (error) {
      if (error instanceof CardError && error.fault === "no-answer" && error.sent) this.silences++;
      throw error;
    }
  }
}
