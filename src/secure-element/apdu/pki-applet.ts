/** The card's PKI applet: GIDS, with one certificate, its key and its own PIN (protocol facts, section 1). */
import { inflateSync } from "node:zlib";
import { CardError } from "../card-reader.js";
import type {
  KeyCertificateOutcome,
  KeyPinOutcome,
  KeySignatureOutcome,
  NoKey,
  NotReached,
  PinAttempts,
} from "../secure-element.js";
import { tlvFields } from "../tlv.js";
import { AppletLost, type CardSession, type Exchange, isForeign } from "./card-session.js";
import { INS } from "./instructions.js";
import type { ResponseApdu } from "./response.js";
import { describeStatusWord, reportedTries, SW } from "./status-words.js";

/** The applet's name, and its beginning, by which OpenSC selects every version of the applet. */
const AIDS = ["A000000397425446590201", "A00000039742544659"].map((aid) => Buffer.from(aid, "hex"));
const PKI_INS = { verify: 0x20, chooseKey: 0x22, sign: 0x2a, getData: 0xcb } as const;
const USER_FILE = 0xa010;
const APPLET_FILE = 0x3fff;
/** Data that asks for the certificate as the vendor's programs do. Its last byte is part of the data. */
const CERTIFICATE = Buffer.from("5C0002DF020400", "hex");
const PIN_STATUS = Buffer.from("5C027F71", "hex");
const PIN_REFERENCE = 0x0080;
const PIN_END = 0x0082;
const SET_SIGNATURE = 0x41b6;
const COMPUTE_SIGNATURE = 0x9e9a;
/** Data that chooses signatures by PKCS #1 v1.5 with the key of the first container. */
const SIGNS = Buffer.from("800157840181", "hex");
const TAG_TRIES = 0x93;
/** Number of bytes before the compressed certificate. */
const CERTIFICATE_PREFIX = 4;
const MOST_CERTIFICATE_BYTES = 64 * 1024;
const SHORT_LE = 256;

export class PkiApplet {
  private constructor(
    private readonly session: CardSession,
    /** Number of attempts that the card allows after a right PIN; undefined if the card has not reported the number. */
    public full: number | undefined,
  ) {}

  /**
   * @param full number of attempts after a right PIN, if this card has reported the number before; it never changes
   * @returns undefined if the card has no PKI applet @throws CardError
   */
  static async select(session: CardSession, full?: number): Promise<PkiApplet | undefined> {
    for (const data of AIDS) {
      const { statusWord } = await session.iso({ ins: INS.select, data, le: SHORT_LE });
      if (statusWord === SW.DONE) return new PkiApplet(session, full);
    }
    return undefined;
  }

  /** @throws CardError */
  async certificate(): Promise<KeyCertificateOutcome> {
    const { statusWord, data } = await this.command({ ins: PKI_INS.getData, p1p2: USER_FILE, data: CERTIFICATE });
    if (statusWord === SW.NO_SUCH_DATA || statusWord === SW.NOT_FOUND) return noKey("it has no certificate");
    const [content] = statusWord === SW.DONE ? tlvFields(data) : [];
    const certificate = content && inflated(content.value.subarray(CERTIFICATE_PREFIX));
    if (!certificate) return noKey(`its certificate cannot be read (${describeStatusWord(statusWord)})`);
    const attempts = await this.attempts();
    return attempts ? { kind: "ok", certificate, attempts } : noKey("it does not say how many attempts are left");
  }

  /** Asks how many attempts are left. The question costs no attempt. @throws CardError */
  private async attempts(): Promise<PinAttempts | undefined> {
    const { statusWord } = await this.command({ ins: PKI_INS.verify, p1p2: PIN_REFERENCE });
    this.full ??= await this.askForFull();
    const { full } = this;
    if (statusWord === SW.AUTHENTICATION_BLOCKED) return { left: 0, full };
    const left = reportedTries(statusWord);
    if (left !== undefined) return { left, full };
    // The PIN is verified already, because of another program. A right PIN gives back all attempts.
    return statusWord === SW.DONE && full !== undefined ? { left: full, full } : undefined;
  }

  private async askForFull(): Promise<number | undefined> {
    const asked = { ins: PKI_INS.getData, p1p2: APPLET_FILE, data: PIN_STATUS, le: SHORT_LE };
    const { statusWord, data } = await this.command(asked);
    if (statusWord !== SW.DONE) return undefined;
    const [status] = tlvFields(data);
    return status && [...tlvFields(status.value)].find(({ tag }) => tag === TAG_TRIES)?.value[0];
  }

  /** @param askedFor whether a person has just entered this PIN @throws CardError */
  async verify(pin: string, askedFor: boolean): Promise<Exclude<KeyPinOutcome, NotReached>> {
    const attempts = await this.attempts();
    if (!attempts) return noKey("it does not say how many attempts are left");
    if (attempts.left === 0) return { kind: "locked" };
    if (!askedFor && attempts.left !== attempts.full) return { kind: "attempt-missing", attempts };
    const data = Buffer.from(pin, "latin1");
    let statusWord: number;
    try {
      ({ statusWord } = await this.command({ ins: PKI_INS.verify, p1p2: PIN_REFERENCE, data }));
    } catch (error) {
      if (error instanceof CardError && error.sent) return { kind: "unknown", reason: error.message };
      throw error;
    } finally {
      data.fill(0);
    }
    if (statusWord === SW.DONE) return { kind: "verified" };
    if (statusWord === SW.AUTHENTICATION_BLOCKED) return { kind: "locked" };
    const pinTriesLeft = reportedTries(statusWord);
    if (pinTriesLeft !== undefined) return { kind: "wrong-pin", pinTriesLeft };
    return { kind: "unknown", reason: `Verify answered ${describeStatusWord(statusWord)}` };
  }

  /** Signs with the key; the PIN must be verified. @throws CardError */
  async sign(digestInfo: Uint8Array): Promise<Exclude<KeySignatureOutcome, NotReached>> {
    const chosen = await this.command({ ins: PKI_INS.chooseKey, p1p2: SET_SIGNATURE, data: SIGNS });
    if (chosen.statusWord !== SW.DONE)
      return noKey(`its key cannot be chosen: ${describeStatusWord(chosen.statusWord)}`);
    const asked = { ins: PKI_INS.sign, p1p2: COMPUTE_SIGNATURE, data: digestInfo, le: SHORT_LE };
    const { statusWord, data: signature } = await this.command(asked);
    if (statusWord !== SW.DONE) return noKey(`its key does not sign: ${describeStatusWord(statusWord)}`);
    return { kind: "signed", signature };
  }

  /** Ends the PIN session: other programs must not use the key after us. @throws CardError */
  async endPin(): Promise<void> {
    await this.command({ ins: PKI_INS.verify, p1p2: PIN_END });
  }

  /** @throws AppletLost if another program has selected another applet, so that the command was not executed */
  private async command(exchange: Exchange): Promise<ResponseApdu> {
    const answer = await this.session.iso(exchange);
    if (isForeign(answer)) throw new AppletLost(undefined, { sent: false });
    return answer;
  }
}

const noKey = (reason: string): NoKey => ({ kind: "no-key", reason });

function inflated(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: MOST_CERTIFICATE_BYTES });
  } catch {
    return undefined;
  }
}
