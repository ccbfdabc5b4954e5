/** Exchanges commands with a card whose secure element applet is selected. Only the reader limits the time. */
import { type CardChannel, CardError } from "../card-reader.js";
import type { CardReason } from "../card-reason.js";
import { decodeVersion } from "./applet-version.js";
import { type CommandApdu, EXTENDED_LE_MAX, encodeCommand } from "./command.js";
import { CLA_ISO, CLA_SECURE_ELEMENT, GET_RESPONSE, INS, P1P2 } from "./instructions.js";
import { decodeResponse, type ResponseApdu } from "./response.js";
import { describeStatusWord, SW } from "./status-words.js";

/** Name of the secure element applet, for SELECT. */
export const SECURE_ELEMENT_AID = Buffer.from("A000000748464A492D546178436F7265", "hex");

/** A card cannot be used. `why` is the reason as a code; the message is an English sentence. */
export class UnusableCard extends Error {
  override readonly name = "UnusableCard";

  constructor(
    readonly why: CardReason,
    message: string,
  ) {
    super(message);
  }
}

/** Another program has selected another applet. The card was not reset and keeps its state. */
export class AppletLost extends CardError {
  constructor(message = "another program has selected another applet", options?: { sent: boolean }) {
    super("reset", message, options);
  }
}

/** Bytes in the answer to Amount Status: 7 for the sum and 7 for the limit. */
export const AMOUNT_STATUS_BYTES = 14;

const SHORT_LE = 256;
const NO_DATA = new Uint8Array();
/** Maximum number of pieces of an answer: a faulty card may announce data without end. The largest has four. */
const MAX_PIECES = 300;

export interface Exchange {
  readonly ins: number;
  readonly data?: Uint8Array;
  /** Expected length of the answer; absent if only a status word is expected. */
  readonly le?: number;
  readonly p1p2?: number;
}

export class CardSession {
  constructor(private readonly channel: CardChannel) {}

  /** @throws CardError */
  select(): Promise<ResponseApdu> {
    return this.iso({ ins: INS.select, data: SECURE_ELEMENT_AID, le: SHORT_LE });
  }

  /** @throws CardError */
  async exchange(exchange: Exchange): Promise<ResponseApdu> {
    const answer = await this.transmit(CLA_SECURE_ELEMENT, exchange);
    // Every secure element knows Amount Status. If a card in shared mode does not, another applet is selected.
    if (exchange.ins === INS.amountStatus && isForeign(answer)) throw new AppletLost(undefined, { sent: false });
    return answer;
  }

  /** Sends a command of ISO 7816-4, which other applets know too. @throws CardError */
  iso(exchange: Exchange): Promise<ResponseApdu> {
    return this.transmit(CLA_ISO, exchange);
  }

  /** @throws CardError, UnusableCard */
  async version(): Promise<string> {
    const answer = await this.exchange({ ins: INS.version, le: SHORT_LE });
    const version = answer.statusWord === SW.DONE ? decodeVersion(answer.data) : undefined;
    if (!version) throw unexpectedAnswer("Version", answer.statusWord);
    return version;
  }

  /** Reads the card's certificate, X.509 DER. @throws CardError, UnusableCard */
  async certificate(): Promise<Uint8Array> {
    const answer = await this.exchange({ ins: INS.certificate, le: EXTENDED_LE_MAX });
    if (answer.statusWord !== SW.DONE) throw unexpectedAnswer("Export certificate", answer.statusWord);
    return answer.data;
  }

  async close(): Promise<void> {
    await this.channel.close();
  }

  /** Sends one command and returns the whole answer, also if the card answers 61xx or 6Cxx (ISO 7816-4). */
  private async transmit(cla: number, { ins, data = NO_DATA, le, p1p2 = P1P2 }: Exchange): Promise<ResponseApdu> {
    const command: CommandApdu = { cla, ins, p1: p1p2 >> 8, p2: p1p2 & 0xff, data, le };
    let answer = await this.once(command);
    if (answer.statusWord >> 8 === 0x6c) {
      answer = await this.piece({ ...command, le: answer.statusWord & 0xff || SHORT_LE });
    }
    const pieces = [answer.data];
    while (answer.statusWord >> 8 === 0x61) {
      if (pieces.length > MAX_PIECES) throw new CardError("no-answer", "the card's answer has no end");
      const le = answer.statusWord & 0xff || SHORT_LE;
      answer = await this.piece({ cla, ins: GET_RESPONSE, p1: 0, p2: 0, data: NO_DATA, le });
      pieces.push(answer.data);
    }
    return { data: Buffer.concat(pieces), statusWord: answer.statusWord };
  }

  /** Fetches the rest of an answer. @throws CardError, with `sent` true, because the card has got the command before */
  private async piece(command: CommandApdu): Promise<ResponseApdu> {
    try {
      let answer = await this.once(command);
      // GET RESPONSE has class 00 in ISO 7816-4. It is not known which class the cards accept.
      if (isForeign(answer) && command.ins === GET_RESPONSE) answer = await this.once({ ...command, cla: CLA_ISO });
      if (!isForeign(answer)) return answer;
    } catch (error) {
      if (error instanceof CardError) throw new CardError(error.fault, error.message, { sent: true, cause: error });
      throw error;
    }
    throw new AppletLost("another program has selected another applet in the middle of an answer");
  }

  private async once(command: CommandApdu): Promise<ResponseApdu> {
    const bytes = await this.channel.transmit(encodeCommand(command));
    const answer = decodeResponse(bytes);
    if (!answer) throw new CardError("no-answer", `the card answered ${bytes.length} bytes without a status word`);
    return answer;
  }
}

/** Whether a card has the secure element applet. With several cards, a driver chooses the card by this. */
export async function selectsSecureElement(channel: CardChannel): Promise<boolean> {
  const { statusWord } = await new CardSession(channel).select();
  return statusWord === SW.DONE;
}

/** Whether the answer comes from another applet than the one that should have got the command. */
export function isForeign({ statusWord }: ResponseApdu): boolean {
  return statusWord === SW.UNKNOWN_CLA || statusWord === SW.UNKNOWN_INS;
}

function unexpectedAnswer(command: string, statusWord: number): UnusableCard {
  const answer = describeStatusWord(statusWord);
  const why: CardReason = { code: "unexpected", values: { command, answer: answer.slice(0, 4) } };
  return new UnusableCard(why, `${command} answered ${answer}`);
}
