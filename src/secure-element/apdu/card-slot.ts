/**
 * Opens the card in the reader, runs one task at a time on the card, and notices when the card is removed. The state of
 * the PIN session is the state that the card last reported.
 */
import { EventEmitter } from "node:events";
import { Mutex } from "../../base/mutex.js";
import { messageOf } from "../../base/thrown.js";
import { waitAtMost } from "../../base/wait-at-most.js";
import { type CardChannel, CardError, type CardFault, type CardReader } from "../card-reader.js";
import type { CardReason } from "../card-reason.js";
import { type CertificateIdentity, readCertificate } from "../certificate.js";
import type {
  Caller,
  CardIdentity,
  NotReached,
  PinState,
  SecureElementEvents,
  SecureElementState,
  SigningRefusal,
} from "../secure-element.js";
import { Silence } from "../silence.js";
import { type ExchangeWatch, watchedChannel } from "../watched-channel.js";
import { isSupported } from "./applet-version.js";
import { AppletLost, CardSession, UnusableCard } from "./card-session.js";
import { INS } from "./instructions.js";
import { describeStatusWord, SW } from "./status-words.js";

export interface OpenCard {
  readonly session: CardSession;
  sessionNumber: number;
  readonly identity: CardIdentity;
  pin: PinState;
  refuses: SigningRefusal | undefined;
}

type Verb<T> = (card: OpenCard) => Promise<T | NotReached>;

type Failed = Pick<NotReached, "kind" | "reason"> & { readonly why: CardReason };

/** ms that a task waits for the first look at the reader. */
const FIRST_LOOK_LIMIT_MS = 3_000;

const NOT_STARTED: Failed = {
  kind: "unreachable",
  reason: "the service has not looked at the card reader yet",
  why: { code: "notStarted" },
};

export abstract class CardSlot extends EventEmitter<SecureElementEvents> {
  private readonly mutex = new Mutex();
  private asking: Caller | undefined;
  private card: OpenCard | undefined;
  private sessions = 0;
  private failed = NOT_STARTED;
  private hasLooked = false;
  private endFirstLook = () => {};
  private readonly firstLook = new Promise<void>((resolve) => {
    this.endFirstLook = resolve;
  });
  private readonly silence = new Silence(() => this.emit("changed", this.state));

  constructor(
    private readonly reader: CardReader,
    private readonly watch?: ExchangeWatch,
  ) {
    super();
  }

  get state(): SecureElementState {
    const { silent, signingSince } = this.silence.state;
    if (!this.card) {
      // A card that hangs while the service reads it is in the reader: it is unreachable, not missing.
      if (silent && this.reader.slot === "card") {
        return { kind: "unreachable", reason: "the card does not answer", why: { code: "silent" } };
      }
      const { kind, reason, why } = this.failed;
      return kind === "no-card"
        ? { kind, reason, why, noReader: this.reader.slot === "no-reader" }
        : { kind, reason, why };
    }
    const { identity, sessionNumber: session, pin, refuses } = this.card;
    return { kind: "ready", identity, session, pin, refuses, silent, signingSince };
  }

  get caller(): Caller | undefined {
    return this.asking;
  }

  async start(): Promise<void> {
    this.reader.on("inserted", this.onInserted);
    this.reader.on("removed", this.onRemoved);
    await this.reader.start();
    // Set this before the waiting tasks run, because they look at the reader.
    this.hasLooked = true;
    this.endFirstLook();
    await this.refresh();
  }

  async close(): Promise<void> {
    this.reader.off("inserted", this.onInserted);
    this.reader.off("removed", this.onRemoved);
    await this.mutex.run(async () => this.drop({ kind: "no-card", reason: "closed", why: { code: "closed" } }));
    await this.reader.close();
  }

  protected get openUid(): string | undefined {
    return this.card?.identity.uid;
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

  /**
   * Runs a task exclusively on an open card; a broken exchange ends the session.
   * @param uid UID of the required card; undefined if any card is right. Cards may be swapped while a task waits
   */
  onCard<T>(uid: string | undefined, by: Caller | undefined, verb: Verb<T>): Promise<T | NotReached> {
    return this.alone(by, async () => {
      let card = await this.open();
      // Try once more if another program used the card in between.
      for (let again = true; card; again = false) {
        if (uid !== undefined && card.identity.uid !== uid) {
          return { kind: "no-card", reason: `${uid} is not in the reader any more, another card is` };
        }
        try {
          return await verb(card);
        } catch (error) {
          if (!(error instanceof CardError)) throw error;
          await this.lost(error);
          card = again && error.fault === "reset" && !error.sent ? await this.open() : undefined;
        }
      }
      return this.notReached();
    });
  }

  private async alone<T>(by: Caller | undefined, task: () => Promise<T>): Promise<T> {
    if (!this.hasLooked) await waitAtMost(FIRST_LOOK_LIMIT_MS, this.firstLook);
    return this.mutex.run(() => {
      this.asking = by;
      return task();
    });
  }

  notReached(): NotReached {
    return { kind: this.failed.kind, reason: this.failed.reason };
  }

  /** Opens the card in the reader if none is open: selects the applet, and reads its version and certificate. */
  private async open(): Promise<OpenCard | undefined> {
    if (this.card || !this.hasLooked) return this.card;
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
      const appletVersion = await session.version();
      if (!isSupported(appletVersion)) {
        const why: CardReason = { code: "unknownApplet", values: { version: appletVersion } };
        throw new UnusableCard(why, `applet version ${appletVersion} is not known`);
      }
      const identity = { ...readIdentity(await session.certificate()), appletVersion };
      const card: OpenCard = { session, sessionNumber: ++this.sessions, identity, pin: "required", refuses: undefined };
      if ((await pinTriesLeftOf(card)) === 0) card.pin = "locked";
      this.card = card;
      await this.restorePin(card);
      this.emit("changed", this.state);
      return card;
    } catch (error) {
      await session?.close();
      const why = cardReason(error);
      const gone = why.code === "removed" || this.reader.slot !== "card";
      const kind = why.code === "unknownApplet" ? "unsupported" : "unreachable";
      this.fail({ kind: gone ? "no-card" : kind, reason: messageOf(error), why });
      return undefined;
    }
  }

  private watched(channel: CardChannel): CardChannel {
    return this.watch ? watchedChannel(channel, () => this.asking, this.watch) : channel;
  }

  /**
   * Verifies the PIN again, if it is known. Called after each SELECT of the applet, which ends the PIN session.
   * @returns whether the PIN was verified again
   * @throws CardError
   */
  protected abstract restorePin(card: OpenCard): Promise<boolean>;

  /** Selects the applet again, and restores the PIN session that this ends. @throws CardError */
  protected async reselect(card: OpenCard): Promise<void> {
    const { statusWord } = await card.session.select();
    if (statusWord !== SW.DONE)
      throw new AppletLost(`the applet cannot be selected: ${describeStatusWord(statusWord)}`);
    card.sessionNumber = ++this.sessions;
    const restored = await this.restorePin(card);
    if (!restored && card.pin === "verified") this.setPin(card, "required");
  }

  setPin(card: OpenCard, pin: PinState): void {
    if (card.pin === pin) return;
    card.pin = pin;
    this.emit("changed", this.state);
  }

  setRefusal(card: OpenCard, refuses: SigningRefusal | undefined): void {
    if (card.refuses === refuses) return;
    card.refuses = refuses;
    this.emit("changed", this.state);
  }

  private fail(failed: Failed): void {
    const same = !this.card && this.failed.kind === failed.kind && this.failed.reason === failed.reason;
    this.card = undefined;
    this.failed = failed;
    if (!same) this.emit("changed", this.state);
  }

  private async drop(failed: Failed): Promise<void> {
    const session = this.card?.session;
    this.fail(failed);
    await session?.close();
  }

  async lost(error: CardError): Promise<void> {
    const gone = isGone(error);
    if (gone || (error.fault === "reset" && !(error instanceof AppletLost))) this.emit("left");
    await this.drop({ kind: gone ? "no-card" : "unreachable", reason: error.message, why: cardReason(error) });
  }

  /** Why there is no card. While the reader or the service looks at a card, no card is missing. */
  private noCard(): Failed {
    const { description: reason, why } = this.reader;
    return { kind: why.code === "reading" ? "unreachable" : "no-card", reason, why };
  }

  /** Closes the connection after answers that make no sense; the next task opens a new connection. */
  protected disconnect(reason: string): Promise<void> {
    return this.mutex.run(() => this.drop({ kind: "unreachable", reason, why: { code: "silent" } }));
  }

  /** Handles a removal at once, not in the queue: a task that waits for the removed card must not delay it. */
  private readonly onRemoved = (): void => {
    this.emit("left");
    void this.drop(this.noCard()).catch(() => undefined);
  };

  private readonly onInserted = (): void => {
    if (!this.card) this.fail({ kind: "unreachable", reason: "the card is being read", why: { code: "reading" } });
    void this.refresh().catch(() => undefined);
  };
}

/**
 * Returns the number of PIN attempts that are left; undefined if the card does not report it. INS 16 is not confirmed
 * for every card, so any answer other than one byte means that the card does not report the number.
 */
export async function pinTriesLeftOf({ session }: OpenCard): Promise<number | undefined> {
  const { statusWord, data } = await session.exchange({ ins: INS.pinTriesLeft, le: 1 });
  return statusWord === SW.DONE && data.length === 1 ? data[0] : undefined;
}

export function isGone({ fault }: CardError): boolean {
  return fault === "removed" || fault === "reader-lost";
}

export function unexpected(command: string, statusWord: number): NotReached {
  return { kind: "unreachable", reason: `${command} answered ${describeStatusWord(statusWord)}` };
}

function readIdentity(der: Uint8Array): CertificateIdentity {
  try {
    return readCertificate(der);
  } catch (error) {
    const problem = messageOf(error);
    throw new UnusableCard({ code: "badCertificate" }, `the card's certificate cannot be read: ${problem}`);
  }
}

const REASON_OF: Readonly<Record<CardFault, CardReason["code"]>> = {
  removed: "removed",
  reset: "reset",
  "no-answer": "silent",
  "reader-lost": "readerLost",
};

/** Returns why the card cannot be used, for an error that occurred while the service used the card. */
function cardReason(error: unknown): CardReason {
  if (error instanceof UnusableCard) return error.why;
  if (error instanceof CardError) return { code: REASON_OF[error.fault] };
  return { code: "failed", values: { problem: messageOf(error) } };
}
