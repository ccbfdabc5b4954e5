/**
 * Calls the tax authority in rounds, for the card that was in the reader last. A round asks for commands, executes and
 * reports them, and runs its other tasks. If something fails, the next round tries it again, after a wait that grows
 * with every failure. Sales never wait for a round.
 */
import type { EventEmitter } from "node:events";
import type { EpochMs } from "../base/epoch-ms.js";
import type { Random } from "../base/random.js";
import type { Background } from "../base/repeater.js";
import { messageOf } from "../base/thrown.js";
import { waitAtMost } from "../base/wait-at-most.js";
import type { CardIdentity, SecureElement, SecureElementEvents } from "../secure-element/secure-element.js";
import type { Commands } from "./commands.js";
import { type Contact, NOT_ASKED } from "./contact.js";
import { type AuthorityCommand, AuthorityError, type TaxAuthority } from "./tax-authority.js";

/** ms between two rounds that went well. */
const INTERVAL_MS = 60_000;
/** ms after a failure until the next round, at most; the time doubles with each further failure. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;
/** ms after a sale until the card is asked whether an audit is due, so that a busy till does not ask more often. */
const AFTER_SALE_MS = 500;
/** ms at the end of the service for the report to the authority that the service goes offline. */
const LEAVING_MS = 1_000;

export interface Round {
  readonly authority: TaxAuthority;
  readonly identity: CardIdentity;
  /** Executes and reports the commands of an answer. @throws AuthorityError, LedgerError */
  take(commands: readonly AuthorityCommand[]): Promise<void>;
  /** Aborts when the service stops or another card is inserted. The task must then end soon. */
  readonly ended: AbortSignal;
}

export interface LinkParts extends Background {
  readonly secureElement: Pick<SecureElement, "state"> & EventEmitter<SecureElementEvents>;
  /** Opens the authority's API for a card. @throws AuthorityError if there is no usable address */
  readonly open: (identity: CardIdentity) => TaxAuthority;
  /** Whether the key in the card has its PIN. Call {@link AuthorityLink.wake} when that changes. */
  readonly mayBegin?: (identity: CardIdentity) => boolean;
  readonly commands: Pick<Commands, "take" | "execute" | "report">;
  /** The other task of a round. It runs after the commands. If it rejects, the next round runs it again. */
  readonly task: (round: Round) => Promise<void>;
  /** Whether an audit is due. Rejects if the store or the card fails. */
  readonly isDue: () => Promise<boolean>;
  readonly random: Random;
  /** Called with the authority's time as soon as an answer has it. */
  readonly dated: (time: EpochMs) => void;
}

interface LinkSession {
  readonly identity: CardIdentity;
  readonly end: AbortController;
  authority: TaxAuthority | undefined;
  answered: boolean;
  running: Promise<void>;
}

export class AuthorityLink {
  private session: LinkSession | undefined;
  private readonly ending = new AbortController();
  contact: Contact = NOT_ASKED;
  private pinVerified = false;
  private checksSale = false;
  private awake = new AbortController();
  /** Functions that resolve the callers who wait for the end of the next round. */
  private waiting: (() => void)[] = [];

  constructor(private readonly parts: LinkParts) {}

  start(): void {
    this.parts.secureElement.on("changed", this.follow);
    this.follow();
  }

  /** Starts the next round now, because there is something to send or to fetch. */
  readonly wake = (): void => {
    this.awake.abort();
  };

  /** Checks soon after a sale whether an audit is due, so that it starts within 2 s and not with the next round. */
  readonly afterSale = async (): Promise<void> => {
    if (this.checksSale) return;
    this.checksSale = true;
    const { timer, isDue, log } = this.parts;
    await timer.sleep(AFTER_SALE_MS, this.ending.signal);
    this.checksSale = false;
    // An audit needs the authority. Without it, the first round that reaches the authority starts the audit.
    if (this.ending.signal.aborted || this.contact.contact !== "reachable") return;
    try {
      if (await isDue()) this.wake();
    } catch (error) {
      // Only log this: the next round also checks whether an audit is due.
      log.debug({ err: error }, "cannot find out whether an audit is due");
    }
  };

  /** Starts a round. Resolves at its end, also if it failed; at once without a card, or if the service has stopped. */
  nextRound(): Promise<void> {
    if (this.ending.signal.aborted || !this.session) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.wake();
    });
  }

  /** Ends the rounds. Resolves within 2 s, also if the authority does not answer. */
  async stop(): Promise<void> {
    this.leave();
    const { session } = this;
    if (!session) return;
    await waitAtMost(LEAVING_MS, session.running);
    session.authority?.close();
    await waitAtMost(LEAVING_MS, session.running);
  }

  /** Ends the rounds at once, as a crash would. */
  kill(): void {
    this.leave();
    this.session?.authority?.close();
  }

  private leave(): void {
    this.ending.abort();
    for (const done of this.waiting.splice(0)) done();
    this.parts.secureElement.off("changed", this.follow);
    this.session?.end.abort();
  }

  /** Begins rounds for the card in the reader. They go on after its removal, until another card is inserted. */
  private readonly follow = (): void => {
    const { state } = this.parts.secureElement;
    if (this.ending.signal.aborted || state.kind !== "ready") return;
    const { uid } = state.identity;
    const verified = state.pin === "verified";
    // Start a round, because commands that waited for the PIN can run now.
    if (verified && !this.pinVerified) this.wake();
    this.pinVerified = verified;
    if (this.session?.identity.uid !== uid) this.begin(state.identity);
  };

  private begin(identity: CardIdentity): void {
    const before = this.session;
    before?.end.abort();
    before?.authority?.close();
    this.publish(NOT_ASKED);
    const session: LinkSession = {
      identity,
      end: new AbortController(),
      authority: undefined,
      answered: false,
      running: Promise.resolve(),
    };
    this.session = session;
    const last = before?.running ?? Promise.resolve();
    session.running = last.then(() => this.runSession(session));
  }

  /** Runs the rounds for one card. Never rejects. */
  private async runSession(session: LinkSession): Promise<void> {
    const { signal } = session.end;
    let failures = 0;
    while (!signal.aborted) {
      this.awake = new AbortController();
      const waiting = this.waiting.splice(0);
      if (this.parts.mayBegin?.(session.identity) === false) {
        for (const done of waiting) done();
        // Without the key, no round says whether the authority still answers.
        if (this.contact.contact !== "not-asked") this.publish(NOT_ASKED);
        await this.pause(0, signal);
        continue;
      }
      try {
        // Announce the service once, and again only after a failure.
        await this.round(session, failures > 0 || this.contact.contact !== "reachable");
        failures = 0;
        this.note(session, "reachable", undefined);
      } catch (error) {
        if (signal.aborted) break;
        failures++;
        this.failed(session, error);
      } finally {
        for (const done of waiting) done();
      }
      await this.pause(failures, signal);
    }
    await this.announceOffline(session);
  }

  private async round(session: LinkSession, announces: boolean): Promise<void> {
    const { open, commands, task } = this.parts;
    const { identity, end } = session;
    const { uid } = identity;
    session.authority ??= open(identity);
    const { authority } = session;
    const take = async (received: readonly AuthorityCommand[]) => {
      await commands.take(uid, received, "authority");
      await commands.execute(uid);
      await commands.report(uid, authority);
    };
    session.answered = false;
    const received = announces ? await authority.announce(true) : await authority.commands();
    session.answered = true;
    if (authority.date !== undefined) this.parts.dated(authority.date);
    await take(received);
    if (!end.signal.aborted) await task({ authority, identity, take, ended: end.signal });
  }

  /** Records a failed round. An authority that refuses every call (401, 403, 500) counts as one that does not answer. */
  private failed(session: LinkSession, error: unknown): void {
    const problem = messageOf(error);
    const news = problem !== this.contact.problem;
    // An error of ours, such as a full disk, does not change whether the authority counts as reachable.
    const withoutBlame = session.answered ? "reachable" : this.contact.contact;
    const contact = error instanceof AuthorityError ? "not-reachable" : withoutBlame;
    if (contact !== "not-asked") this.note(session, contact, problem);
    const { log } = this.parts;
    const message = "the round with the tax authority failed and will be repeated";
    if (news || contact === "not-asked") log.warn({ err: error, uid: session.identity.uid }, message);
    else log.debug({ err: error, uid: session.identity.uid }, message);
  }

  private note(session: LinkSession, contact: "reachable" | "not-reachable", problem: string | undefined): void {
    if (session !== this.session) return;
    const last = this.contact;
    const at = this.parts.clock.now();
    const since = last.contact === contact ? last.since : at;
    this.contact = { contact, since, problem, at };
    if (last.contact === contact && last.problem === problem) return;
    this.parts.changed();
    if (last.contact !== contact) this.parts.log.info({ uid: session.identity.uid, contact }, "tax authority");
  }

  private publish(contact: Contact): void {
    this.contact = contact;
    this.parts.changed();
  }

  private async pause(failures: number, ended: AbortSignal): Promise<void> {
    const { timer } = this.parts;
    const wait = failures === 0 ? INTERVAL_MS : this.waitAfter(failures);
    await timer.sleep(wait, AbortSignal.any([ended, this.awake.signal]));
  }

  /** Random ms, because tills that lost the authority at the same moment must not all return at the same moment. */
  private waitAfter(failures: number): number {
    const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
    const chance = Buffer.from(this.parts.random.bytes(4)).readUInt32BE() / 2 ** 32;
    return Math.round((most / 2) * (1 + chance));
  }

  private async announceOffline({ authority }: LinkSession): Promise<void> {
    if (!this.ending.signal.aborted || this.contact.contact !== "reachable") return;
    // If the announcement fails, the authority notices that the service is offline because no more requests arrive.
    await authority?.announce(false).catch(() => undefined);
  }
}
