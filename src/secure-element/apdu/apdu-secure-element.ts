/**
 * The one APDU client for every card, real or emulated (design, "a card is a card").
 * Every verb runs alone; the PIN session is what the card last said it is.
 */
import { EventEmitter } from "node:events";
import { Mutex } from "../../mutex.js";
import { type CardChannel, CardError, type CardReader } from "../card-reader.js";
import type { CardReason } from "../card-reason.js";
import { type CertificateIdentity, readCertificate } from "../certificate.js";
import {
  type AmountStatusOutcome,
  type BytesOutcome,
  type Caller,
  type CardIdentity,
  type EndAuditOutcome,
  type LastSignedOutcome,
  type NotReached,
  PIN_FORM,
  type PinOutcome,
  type PinState,
  type SecureElement,
  type SecureElementEvents,
  type SecureElementState,
  type SigningRefusal,
  type SignOutcome,
  type SignRequest,
  type TriesLeftOutcome,
} from "../secure-element.js";
import { Silence } from "../silence.js";
import { cardReason, UnusableCard } from "../unusable-card.js";
import { type ExchangeWatch, watchedChannel } from "../watched-channel.js";
import { type AppletVersion, formatVersion, isSupported, signsWithCrc, takesAsciiPin } from "./applet-version.js";
import { AMOUNT_STATUS_BYTES, AppletLost, CardSession, isForeign } from "./card-session.js";
import { EXTENDED_LE_MAX } from "./command.js";
import { appendCrc } from "./crc32.js";
import { INS, P1P2_WITH_CRC } from "./instructions.js";
import { LastInvoice } from "./last-invoice.js";
import type { ResponseApdu } from "./response.js";
import { encodeSignRequest } from "./sign-format.js";
import { signOutcome } from "./sign-outcome.js";
import { describeStatusWord, SW } from "./status-words.js";

interface OpenCard {
  readonly session: CardSession;
  sessionNumber: number;
  readonly identity: CardIdentity;
  readonly version: AppletVersion;
  pin: PinState;
  refuses: SigningRefusal | undefined;
}

type Verb<T> = (card: OpenCard) => Promise<T | NotReached>;
type Failed = Pick<NotReached, "reason"> & { readonly state: NotReached["outcome"]; readonly why: CardReason };

export class ApduSecureElement extends EventEmitter<SecureElementEvents> implements SecureElement {
  private readonly mutex = new Mutex();
  private asking: Caller | undefined;
  private card: OpenCard | undefined;
  private sessions = 0;
  private readonly lastInvoice = new LastInvoice();
  private failed: Failed = { state: "no-card", reason: "not started", why: { code: "notStarted" } };
  private readonly silence = new Silence(() => this.emit("changed", this.state));

  /** @param watch looks on at every exchange */
  constructor(
    private readonly reader: CardReader,
    private readonly watch?: ExchangeWatch,
  ) {
    super();
  }

  get state(): SecureElementState {
    const silent = this.silence.lasts;
    if (!this.card) {
      // A card that hangs while it is being read is no missing card.
      if (silent && this.reader.slot === "card") {
        return { state: "unreachable", reason: "the card does not answer", why: { code: "silent" } };
      }
      const { state, reason, why } = this.failed;
      if (state !== "no-card") return { state, reason, why };
      return { state, reason, why, noReader: this.reader.slot === "no-reader" };
    }
    const { identity, sessionNumber: session, pin, refuses } = this.card;
    return { state: "ready", identity, session, pin, refuses, silent };
  }

  get caller(): Caller | undefined {
    return this.asking;
  }

  async start(): Promise<void> {
    this.reader.on("inserted", this.onInserted);
    this.reader.on("removed", this.onRemoved);
    await this.reader.start();
    await this.refresh();
  }

  async close(): Promise<void> {
    this.reader.off("inserted", this.onInserted);
    this.reader.off("removed", this.onRemoved);
    await this.mutex.run(async () => this.drop({ state: "no-card", reason: "closed", why: { code: "closed" } }));
    await this.reader.close();
  }

  refresh(by?: Caller): Promise<SecureElementState> {
    return this.alone(by, async () => {
      const card = await this.open();
      if (card) {
        card.sessionNumber = ++this.sessions;
        this.setRefusal(card, undefined);
      }
      return this.state;
    });
  }

  verifyPin(pin: string, by?: Caller): Promise<PinOutcome> {
    return this.onCard<PinOutcome>(this.card?.identity.uid, by, async (card) => {
      if (card.pin === "locked") return { outcome: "locked" };
      if (!PIN_FORM.test(pin)) return { outcome: "wrong-pin" };
      // Digits travel as numbers, or as ASCII to the versions that ask for it (protocol facts, section 1).
      const base = takesAsciiPin(card.version) ? 0x30 : 0;
      const data = Uint8Array.from(pin, (digit) => base + Number(digit));
      const { statusWord } = await card.session.exchange({ ins: INS.VERIFY_PIN, data });
      data.fill(0);
      switch (statusWord) {
        case SW.DONE:
          this.setPin(card, "verified");
          // A new day, a new try: the authority may have let the card sign again in between. No counter goes back.
          if (card.refuses === "disabled") this.setRefusal(card, undefined);
          return { outcome: "verified" };
        case SW.WRONG_PIN_LENGTH:
          return { outcome: "wrong-pin" };
        case SW.WRONG_PIN: {
          this.setPin(card, "required");
          const pinTriesLeft = await this.readPinTriesLeft(card).catch((error: unknown) =>
            this.lostAfterRefusal(error),
          );
          if (pinTriesLeft === 0) this.setPin(card, "locked");
          return pinTriesLeft === undefined ? { outcome: "wrong-pin" } : { outcome: "wrong-pin", pinTriesLeft };
        }
        case SW.PIN_TRIES_USED_UP:
          this.setPin(card, "locked");
          return { outcome: "locked" };
        default:
          return unexpected("Verify PIN", statusWord);
      }
    });
  }

  /** An exchange that breaks off once the command is on its way is `unknown`, never `no-card`. */
  sign(uid: string, request: SignRequest, by?: Caller): Promise<SignOutcome> {
    return this.onCard<SignOutcome>(uid, by, async (card) => {
      const withCrc = signsWithCrc(card.version);
      const plain = encodeSignRequest(request);
      let answer: ResponseApdu;
      try {
        answer = await card.session.exchange({
          ins: INS.SIGN_INVOICE,
          data: withCrc ? appendCrc(plain) : plain,
          le: EXTENDED_LE_MAX,
          ...(withCrc ? { p1p2: P1P2_WITH_CRC } : {}),
        });
      } catch (error) {
        if (!(error instanceof CardError)) throw error;
        await this.lost(error);
        if (error.sent) return { outcome: "unknown", reason: error.message };
        // Another program has reset the card: it is there, only the PIN session is gone.
        return error.fault === "reset" ? { outcome: "pin-required" } : this.notReached();
      }
      // The applet is selected again before anything else is asked, the card's last invoice above all.
      if (isForeign(answer)) await this.lost(new AppletLost("another applet answered"));
      const outcome = signOutcome(answer);
      if (outcome.outcome === "pin-required") this.setPin(card, "required");
      if (outcome.outcome === "locked") this.setPin(card, "locked");
      if (outcome.outcome === "disabled" || outcome.outcome === "counter-at-end")
        this.setRefusal(card, outcome.outcome);
      if (outcome.outcome === "signed") this.setRefusal(card, undefined);
      return outcome;
    });
  }

  async lastSigned(uid: string, by?: Caller): Promise<LastSignedOutcome> {
    const ask = () =>
      this.onCard<LastSignedOutcome>(uid, by, async (card) => {
        const outcome = await this.lastInvoice.ask(card.session);
        if (outcome.outcome === "pin-required") this.setPin(card, "required");
        return outcome;
      });
    const told = await ask();
    if (told.outcome !== "odd" || !this.lastInvoice.needsConnection) return told;
    const why: CardReason = { code: "silent" };
    await this.mutex.run(() => this.drop({ state: "unreachable", reason: told.reason, why }));
    return ask();
  }

  /** What the card did before holds no more. */
  private left(): void {
    this.lastInvoice.forget();
    this.emit("left");
  }

  amountStatus(uid?: string, by?: Caller): Promise<AmountStatusOutcome> {
    return this.onCard<AmountStatusOutcome>(uid, by, async (card) => {
      const { statusWord, data } = await card.session.exchange({ ins: INS.AMOUNT_STATUS, le: AMOUNT_STATUS_BYTES });
      if (statusWord !== SW.DONE || data.length !== AMOUNT_STATUS_BYTES) return unexpected("Amount status", statusWord);
      const hex = Buffer.from(data).toString("hex");
      return { outcome: "ok", sum: BigInt(`0x${hex.slice(0, 14)}`), limit: BigInt(`0x${hex.slice(14)}`) };
    });
  }

  pinTriesLeft(by?: Caller): Promise<TriesLeftOutcome> {
    return this.onCard<TriesLeftOutcome>(undefined, by, async (card) => {
      const pinTriesLeft = await this.readPinTriesLeft(card);
      if (pinTriesLeft === 0) this.setPin(card, "locked");
      return pinTriesLeft === undefined ? { outcome: "no-command" } : { outcome: "ok", pinTriesLeft };
    });
  }

  taxAuthorityKey(): Promise<BytesOutcome> {
    return this.bytes("Export tax authority key", INS.EXPORT_TAX_AUTHORITY_KEY);
  }

  exportInternalData(): Promise<BytesOutcome> {
    return this.bytes("Export internal data", INS.EXPORT_INTERNAL_DATA);
  }

  startAudit(): Promise<BytesOutcome> {
    return this.bytes("Start audit", INS.START_AUDIT);
  }

  directive(directive: Uint8Array, uid?: string): Promise<BytesOutcome> {
    return this.bytes("Directive", INS.DIRECTIVE, directive, uid);
  }

  endAudit(proof: Uint8Array): Promise<EndAuditOutcome> {
    return this.onCard<EndAuditOutcome>(undefined, undefined, async (card) => {
      const { statusWord } = await card.session.exchange({ ins: INS.END_AUDIT, data: proof });
      switch (statusWord) {
        case SW.DONE:
          return { outcome: "accepted" };
        case SW.BAD_PROOF_OF_AUDIT:
        case SW.WRONG_LENGTH:
          return { outcome: "bad-proof" };
        case SW.NO_AUDIT_OPEN:
          return { outcome: "no-audit-open" };
        case SW.PIN_REQUIRED:
          this.setPin(card, "required");
          return { outcome: "pin-required" };
        default:
          return unexpected("End audit", statusWord);
      }
    });
  }

  private bytes(command: string, ins: number, data?: Uint8Array, uid?: string): Promise<BytesOutcome> {
    return this.onCard<BytesOutcome>(uid, undefined, async (card) => {
      const le = data ? undefined : EXTENDED_LE_MAX;
      const answer = await card.session.exchange({ ins, ...(data ? { data } : {}), ...(le ? { le } : {}) });
      switch (answer.statusWord) {
        case SW.DONE:
          if (ins === INS.DIRECTIVE) this.setRefusal(card, undefined);
          return { outcome: "ok", bytes: answer.data };
        case SW.PIN_REQUIRED:
          this.setPin(card, "required");
          return { outcome: "pin-required" };
        case SW.BAD_DATA:
        case SW.WRONG_LENGTH:
          return { outcome: "refused", reason: describeStatusWord(answer.statusWord) };
        default:
          return unexpected(command, answer.statusWord);
      }
    });
  }

  /** INS 16 is not confirmed for every card: any other answer than one byte means that the card does not say. */
  private async readPinTriesLeft(card: OpenCard): Promise<number | undefined> {
    const { statusWord, data } = await card.session.exchange({ ins: INS.PIN_TRIES_LEFT, le: 1 });
    return statusWord === SW.DONE && data.length === 1 ? data[0] : undefined;
  }

  /**
   * Runs a verb alone, on an open card; a broken exchange ends the session.
   * @param uid of the card that is meant, where it must be that one: verbs wait, and cards are swapped meanwhile
   */
  private onCard<T>(uid: string | undefined, by: Caller | undefined, verb: Verb<T>): Promise<T | NotReached> {
    return this.alone(by, async () => {
      const card = await this.open();
      return card ? this.attempt(card, uid, verb, true) : this.notReached();
    });
  }

  private alone<T>(by: Caller | undefined, task: () => Promise<T>): Promise<T> {
    return this.mutex.run(() => {
      this.asking = by;
      return task();
    });
  }

  /** @param again whether the verb is tried once more where another program was at the card in between */
  private async attempt<T>(
    card: OpenCard,
    uid: string | undefined,
    verb: Verb<T>,
    again: boolean,
  ): Promise<T | NotReached> {
    if (uid !== undefined && card.identity.uid !== uid) {
      return { outcome: "no-card", reason: `${uid} is not in the reader any more, another card is` };
    }
    try {
      return await verb(card);
    } catch (error) {
      if (!(error instanceof CardError)) throw error;
      await this.lost(error);
      const reopened = again && error.fault === "reset" && !error.sent ? await this.open() : undefined;
      return reopened ? this.attempt(reopened, uid, verb, false) : this.notReached();
    }
  }

  private notReached(): NotReached {
    return { outcome: this.failed.state, reason: this.failed.reason };
  }

  /** The open card, or the one in the reader after select, version and certificate. */
  private async open(): Promise<OpenCard | undefined> {
    if (this.card) return this.card;
    if (this.reader.slot !== "card") {
      this.fail(this.noCard());
      return undefined;
    }
    let session: CardSession | undefined;
    try {
      session = new CardSession(this.watched(this.silence.over(await this.silence.during(this.reader.connect()))));
      const selected = await session.select();
      if (selected.statusWord !== SW.DONE) {
        const answer = describeStatusWord(selected.statusWord);
        const why: CardReason = { code: "noApplet", values: { answer: answer.slice(0, 4) } };
        throw new UnusableCard(why, `the card has no secure element applet: ${answer}`);
      }
      const version = await session.version();
      if (!isSupported(version)) {
        await session.close();
        const shown = formatVersion(version);
        const why: CardReason = { code: "unknownApplet", values: { version: shown } };
        this.fail({ state: "unsupported", reason: `applet version ${shown} is not known`, why });
        return undefined;
      }
      const certificate = readIdentity(await session.certificate());
      const identity = { ...certificate, appletVersion: formatVersion(version) };
      const card: OpenCard = {
        session,
        sessionNumber: ++this.sessions,
        identity,
        version,
        pin: "required",
        refuses: undefined,
      };
      if ((await this.readPinTriesLeft(card)) === 0) card.pin = "locked";
      this.card = card;
      this.emit("changed", this.state);
      return card;
    } catch (error) {
      await session?.close();
      const removed = error instanceof CardError && error.fault === "removed";
      const reason = error instanceof Error ? error.message : String(error);
      const gone = removed || this.reader.slot !== "card";
      this.fail({ state: gone ? "no-card" : "unreachable", reason, why: cardReason(error) });
      return undefined;
    }
  }

  private watched(channel: CardChannel): CardChannel {
    return this.watch ? watchedChannel(channel, () => this.asking, this.watch) : channel;
  }

  private setPin(card: OpenCard, pin: PinState): void {
    if (card.pin === pin) return;
    card.pin = pin;
    this.emit("changed", this.state);
  }

  private setRefusal(card: OpenCard, refuses: SigningRefusal | undefined): void {
    if (card.refuses === refuses) return;
    card.refuses = refuses;
    this.emit("changed", this.state);
  }

  private fail(failed: Failed): void {
    const same = !this.card && this.failed.state === failed.state && this.failed.reason === failed.reason;
    this.card = undefined;
    this.failed = failed;
    if (!same) this.emit("changed", this.state);
  }

  private async drop(failed: Failed): Promise<void> {
    const session = this.card?.session;
    this.fail(failed);
    await session?.close();
  }

  private async lost(error: CardError): Promise<void> {
    const gone = isGone(error);
    if (gone || (error.fault === "reset" && !(error instanceof AppletLost))) this.left();
    await this.drop({ state: gone ? "no-card" : "unreachable", reason: error.message, why: cardReason(error) });
  }

  private noCard(): Failed {
    return { state: "no-card", reason: this.reader.description, why: this.reader.why };
  }

  /** A PIN that was refused stays refused: sent again, it would cost a second try. @throws where the card is gone */
  private async lostAfterRefusal(error: unknown): Promise<undefined> {
    if (!(error instanceof CardError) || isGone(error)) throw error;
    await this.lost(error);
  }

  /**
   * At once, not in the queue of verbs: a verb that waits for an answer of the removed card must not
   * keep the state from telling that it is gone.
   */
  private readonly onRemoved = (): void => {
    this.left();
    void this.drop(this.noCard()).catch(() => undefined);
  };

  private readonly onInserted = (): void => {
    void this.refresh().catch(() => undefined);
  };
}

function isGone({ fault }: CardError): boolean {
  return fault === "removed" || fault === "reader-lost";
}

function readIdentity(der: Uint8Array): CertificateIdentity {
  try {
    return readCertificate(der);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UnusableCard({ code: "badCertificate" }, `the card's certificate cannot be read: ${problem}`);
  }
}

function unexpected(command: string, statusWord: number): NotReached {
  return { outcome: "unreachable", reason: `${command} answered ${describeStatusWord(statusWord)}` };
}
