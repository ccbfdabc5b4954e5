/**
 * The service's talk with the tax authority, beside selling: in rounds, for the card that was in the reader last. A round asks for
 * commands, executes and reports them, and does what its other tasks do. What fails is tried again in the next round, later with
 * every failure. Selling waits for none of it.
 */
import type { Logger } from "pino";
import type { Clock, Timer } from "../clock.js";
import type { Random } from "../random.js";
import type { CardIdentity, SecureElement } from "../secure-element/secure-element.js";
import { waitAtMost } from "../wait-at-most.js";
import { backoff } from "./backoff.js";
import type { Commands } from "./commands.js";
import { type Contact, NOT_ASKED } from "./contact.js";
import { type AuthorityCommand, AuthorityError, type TaxAuthority } from "./tax-authority.js";

/** ms between two rounds that went well. */
const INTERVAL_MS = 60_000;
/** ms between a round that failed and the next. */
const AFTER_FAILURE = { first: 1_000, most: 300_000 };
/** ms at the end of the service, for the word that it goes. */
const GOODBYE_MS = 1_000;

/** What a task of a round works with. */
export interface Round {
  readonly authority: TaxAuthority;
  /** Of the card. */
  readonly identity: CardIdentity;
  /** Executes and reports what an answer has brought. @throws AuthorityError, LedgerError */
  take(commands: readonly AuthorityCommand[]): Promise<void>;
  /** Aborts when the service stops or another card comes: the task ends soon then. */
  readonly ended: AbortSignal;
}

/** May reject: the next round tries again. */
export type LinkTask = (round: Round) => Promise<void>;

/** What the link must know of the card. */
export interface WatchedCard extends Pick<SecureElement, "state"> {
  on(event: "changed", listener: () => void): unknown;
  off(event: "changed", listener: () => void): unknown;
}

export interface LinkParts {
  readonly secureElement: WatchedCard;
  /** The authority of a card. @throws AuthorityError where it has no address that can be called */
  readonly open: (identity: CardIdentity) => TaxAuthority;
  readonly commands: Pick<Commands, "take" | "execute" | "report">;
  /** In their order, after the commands. */
  readonly tasks: readonly LinkTask[];
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly log: Logger;
  /** Contact has changed. */
  readonly changed: () => void;
  readonly intervalMs?: number;
}

/** The talk for one card. */
interface Talk {
  readonly identity: CardIdentity;
  readonly end: AbortController;
  authority: TaxAuthority | undefined;
  running: Promise<void>;
}

export class AuthorityLink {
  private talk: Talk | undefined;
  private stopped = false;
  private told: Contact = NOT_ASKED;
  private pinVerified = false;
  private awake = new AbortController();
  /** Those who wait for the end of the next round. */
  private waiting: (() => void)[] = [];

  constructor(private readonly parts: LinkParts) {}

  get contact(): Contact {
    return this.told;
  }

  start(): void {
    this.parts.secureElement.on("changed", this.follow);
    this.follow();
  }

  /** The next round begins now: there is something to send, or to ask for. */
  readonly wake = (): void => {
    this.awake.abort();
  };

  /** Begins a round now. Resolves once it has ended, well or not; at once without a card or after the end of the service. */
  nextRound(): Promise<void> {
    if (this.stopped || !this.talk) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.wake();
    });
  }

  /** Resolves within 2 s, also while the authority does not answer. */
  async stop(): Promise<void> {
    this.leave();
    const { talk } = this;
    if (!talk) return;
    await waitAtMost(GOODBYE_MS, talk.running);
    talk.authority?.close();
    await waitAtMost(GOODBYE_MS, talk.running);
  }

  /** As a crash ends it. */
  kill(): void {
    this.leave();
    this.talk?.authority?.close();
  }

  private leave(): void {
    this.stopped = true;
    for (const done of this.waiting.splice(0)) done();
    this.parts.secureElement.off("changed", this.follow);
    this.talk?.end.abort();
  }

  /** A card that is out of the reader is spoken for until another one comes. */
  private readonly follow = (): void => {
    const { state } = this.parts.secureElement;
    if (this.stopped || state.state !== "ready") return;
    const { uid } = state.identity;
    const verified = state.pin === "verified";
    // What waits for the card can be done now.
    if (verified && !this.pinVerified) this.wake();
    this.pinVerified = verified;
    if (this.talk?.identity.uid !== uid) this.begin(state.identity);
  };

  private begin(identity: CardIdentity): void {
    const before = this.talk;
    before?.end.abort();
    before?.authority?.close();
    this.tell(NOT_ASKED);
    const talk: Talk = { identity, end: new AbortController(), authority: undefined, running: Promise.resolve() };
    this.talk = talk;
    const last = before?.running ?? Promise.resolve();
    talk.running = last.then(() => this.speak(talk));
  }

  /** Never rejects. */
  private async speak(talk: Talk): Promise<void> {
    const { signal } = talk.end;
    let failures = 0;
    while (!signal.aborted) {
      this.awake = new AbortController();
      const waiting = this.waiting.splice(0);
      try {
        // To announce the service once is enough while the authority answers.
        await this.round(talk, failures > 0 || this.told.contact !== "reachable");
        failures = 0;
        this.note(talk, "reachable", undefined);
      } catch (error) {
        if (signal.aborted) break;
        failures++;
        this.failed(talk, error);
      } finally {
        for (const done of waiting) done();
      }
      await this.pause(failures, signal);
    }
    await this.goodbye(talk);
  }

  private async round(talk: Talk, announces: boolean): Promise<void> {
    const { open, commands, tasks } = this.parts;
    const { identity, end } = talk;
    const { uid } = identity;
    talk.authority ??= open(identity);
    const { authority } = talk;
    const take = async (received: readonly AuthorityCommand[]) => {
      await commands.take(uid, received);
      await commands.execute(uid);
      await commands.report(uid, authority);
    };
    const received = announces ? await authority.announce(true) : await authority.commands();
    // What goes wrong from here on is something else.
    if (this.told.contact !== "reachable") this.note(talk, "reachable", undefined);
    await take(received);
    for (const task of tasks) {
      if (end.signal.aborted) return;
      await task({ authority, identity, take, ended: end.signal });
    }
  }

  private failed(talk: Talk, error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    const answered = error instanceof AuthorityError ? error.fault === "refused" : this.told.contact === "reachable";
    const asked = error instanceof AuthorityError || this.told.contact !== "not-asked";
    const news = problem !== this.told.problem;
    if (asked) this.note(talk, answered ? "reachable" : "not-reachable", problem);
    const { log } = this.parts;
    const said = "the talk with the tax authority failed and is tried again";
    if (news || !asked) log.warn({ err: error, uid: talk.identity.uid }, said);
    else log.debug({ err: error, uid: talk.identity.uid }, said);
  }

  private note(talk: Talk, contact: "reachable" | "not-reachable", problem: string | undefined): void {
    if (talk !== this.talk) return;
    const { told } = this;
    if (told.contact === contact && told.problem === problem) return;
    const since = told.contact === contact ? told.since : this.parts.clock.now();
    this.tell({ contact, since, problem });
    if (told.contact !== contact) this.parts.log.info({ uid: talk.identity.uid, contact }, "tax authority");
  }

  private tell(contact: Contact): void {
    this.told = contact;
    this.parts.changed();
  }

  private async pause(failures: number, ended: AbortSignal): Promise<void> {
    const { timer, intervalMs = INTERVAL_MS } = this.parts;
    const wait = failures === 0 ? intervalMs : backoff(failures, this.chance(), AFTER_FAILURE);
    await timer.sleep(wait, AbortSignal.any([ended, this.awake.signal]));
  }

  /** From 0 up to but not 1. */
  private chance(): number {
    return Buffer.from(this.parts.random.bytes(4)).readUInt32BE() / 2 ** 32;
  }

  private async goodbye({ authority }: Talk): Promise<void> {
    if (!this.stopped || this.told.contact !== "reachable") return;
    // It hears of the end by silence otherwise.
    await authority?.announce(false).catch(() => undefined);
  }
}
