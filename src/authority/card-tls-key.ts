/**
 * The key in the card's PKI applet, with which the service gets tokens from the authority once it knows the key's PIN.
 * The PIN is in memory only. The store keeps only whether the applet has refused the card's own PIN, so that the
 * service does not try that PIN again after a restart.
 */

import { createHmac, X509Certificate } from "node:crypto";
import type { Clock, Timer } from "../base/clock.js";
import type { EpochMs } from "../base/epoch-ms.js";
import { Mutex } from "../base/mutex.js";
import { messageOf } from "../base/thrown.js";
import type { AuthorityLedger } from "../ledger/authority-ledger.js";
import {
  KEY_PIN_FORM,
  type KeyElement,
  type KeyPinOutcome,
  type PinAttempts,
  type SecureElement,
} from "../secure-element/secure-element.js";
import { AuthorityError } from "./tax-authority.js";
import type { Token } from "./token.js";
import { type TokenRequest, tokenWithCard } from "./token-process.js";

/** ms before the next attempt after a failure. The time doubles with each further failure. */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 3_600_000;

export type CardTlsKeyState =
  /** The card has no key that can be used. */
  | { readonly kind: "no-key"; readonly reason: string }
  /** The key needs its PIN. If `ownPin` is `untried`, the card's own PIN may be tried once. */
  | { readonly kind: "pin-needed"; readonly attempts: PinAttempts; readonly ownPin: "untried" | "refused" }
  /** A wrong PIN was entered since the last right one: the service sends no PIN until a person enters the right one. */
  | { readonly kind: "attempt-missing"; readonly attempts: PinAttempts }
  | { readonly kind: "locked" }
  | { readonly kind: "ready" };

export interface CardTlsKeyFacts {
  readonly state: CardTlsKeyState;
  /** Whether this key is to be used, because of a setting or because a person has entered a PIN for it. */
  readonly wanted: boolean;
  /** Why the last attempt to get a token failed; undefined if it did not fail. */
  readonly problem: AuthorityError | undefined;
  /** End of the key's certificate; undefined if there is no certificate, or it cannot be read. */
  readonly validTo: EpochMs | undefined;
}

/**
 * The result of entering a PIN. `not-sent`: the card did not get the PIN, so no attempt was lost. `unknown`: the card may
 * have got the PIN, and its answer is not known.
 */
export type KeyPinAnswer =
  | { readonly kind: "verified" }
  | { readonly kind: "wrong-pin"; readonly pinTriesLeft: number }
  | { readonly kind: "locked" }
  | { readonly kind: "not-sent" | "unknown"; readonly reason: string };

/** Stands for the card's own PIN, which only the secure element has. */
const OWN = Symbol("the card's own PIN");

interface Known {
  readonly certificate: Uint8Array;
  readonly validTo: number | undefined;
  state: CardTlsKeyState;
  pin: string | typeof OWN | undefined;
  wanted: boolean;
}

export interface CardTlsKeyParts {
  readonly secureElement: Pick<SecureElement, "state" | "on"> & KeyElement;
  /** Runs a task with the card between two sales. */
  readonly inTurn: <T>(uid: string, task: () => Promise<T>) => Promise<T | undefined>;
  readonly ledger: Pick<AuthorityLedger, "ownPin" | "commit">;
  readonly clock: Clock;
  readonly timer: Timer;
  /** The key for hashes of refused PINs, 32 bytes. */
  readonly secret: Uint8Array;
  /** Whether a setting says that this key is to be used. */
  readonly wanted: boolean;
  readonly changed: () => void;
}

export class CardTlsKey {
  readonly #cards = new Map<
    string,
    Known | { readonly state: CardTlsKeyState; readonly pin: undefined; wanted: boolean }
  >();
  /** Keyed hashes of PINs that were refused. */
  private readonly refused = new Set<string>();
  /** By UID: the PIN whose answer is not known, and the attempts before it. It counts as refused, until they are read. */
  private readonly doubtful = new Map<
    string,
    { readonly mark: string | undefined; readonly left: number | undefined }
  >();
  private readonly entering = new Mutex();
  private readonly looking = new Set<string>();
  private failures = 0;
  private retryAt = 0;
  private failure: AuthorityError | undefined;

  constructor(private readonly parts: CardTlsKeyParts) {}

  start(): void {
    const { secureElement } = this.parts;
    secureElement.on("left", () => {
      // Forget a card whose key could not be read: when it is inserted again, its key is read again.
      for (const [uid, { state }] of this.#cards) if (state.kind === "no-key") this.#cards.delete(uid);
    });
    secureElement.on("changed", () => this.look());
    this.look();
  }

  /** Facts about the key of the card in the reader; undefined if the key was not read yet. */
  get facts(): CardTlsKeyFacts | undefined {
    const uid = this.inReader;
    const known = uid === undefined ? undefined : this.#cards.get(uid);
    if (!known) return undefined;
    const validTo = isKnown(known) ? known.validTo : undefined;
    return { state: known.state, wanted: known.wanted || this.parts.wanted, problem: this.failure, validTo };
  }

  /** Whether the service may ask for a token with this key now. */
  isReady(uid: string): boolean {
    const known = this.#cards.get(uid);
    if (known?.state.kind !== "ready") return false;
    const { state } = this.parts.secureElement;
    return known.pin !== OWN || (state.kind === "ready" && state.pin === "verified");
  }

  /** Whether the service uses this key, also if it gets no token at the moment. */
  get isUsed(): boolean {
    return this.facts?.state.kind === "ready";
  }

  private get inReader(): string | undefined {
    const { state } = this.parts.secureElement;
    return state.kind === "ready" ? state.identity.uid : undefined;
  }

  private look(): void {
    const uid = this.inReader;
    if (uid === undefined || this.#cards.has(uid) || this.looking.has(uid)) return;
    this.looking.add(uid);
    void this.read(uid)
      .catch((error: unknown) => {
        this.#cards.set(uid, { state: { kind: "no-key", reason: messageOf(error) }, pin: undefined, wanted: false });
      })
      .finally(() => {
        this.looking.delete(uid);
        this.parts.changed();
      });
  }

  private async read(uid: string): Promise<void> {
    const { inTurn, secureElement, ledger } = this.parts;
    const doubt = this.doubtful.get(uid);
    let ownPin = await ledger.ownPin(uid);
    const wanted = ownPin !== undefined || doubt !== undefined;
    const key = await inTurn(uid, () => secureElement.keyCertificate(uid));
    if (key?.kind !== "ok") {
      const reason = key?.reason ?? "the card was removed";
      this.#cards.set(uid, { state: { kind: "no-key", reason }, pin: undefined, wanted });
      return;
    }
    const { certificate, attempts } = key;
    if (doubt && attempts.left >= (doubt.left ?? attempts.full ?? Number.POSITIVE_INFINITY)) {
      // No attempt is lost: the card has accepted this PIN, or has not got it.
      if (doubt.mark === undefined) ownPin = ownPin === "asked" ? undefined : ownPin;
      else this.refused.delete(doubt.mark);
    }
    this.doubtful.delete(uid);
    const state = stateOf(attempts, ownPin);
    const pin = state.kind === "ready" ? OWN : undefined;
    this.#cards.set(uid, { certificate, validTo: endOf(certificate), state, pin, wanted } satisfies Known);
  }

  /**
   * Sends the card's own PIN, which both applets may have. Call this only after a person has asked for it: a card gets
   * the PIN in this way only once, ever.
   */
  tryOwnPin(): Promise<KeyPinAnswer> {
    return this.entering.run(async () => {
      const { ledger, secureElement, inTurn, clock } = this.parts;
      const uid = this.inReader;
      const known = uid === undefined ? undefined : this.#cards.get(uid);
      if (uid === undefined || !known) return notSent("there is no card in the reader");
      if (!isKnown(known)) return notSent(reasonIn(known.state));
      const { state } = secureElement;
      if (state.kind !== "ready" || state.pin !== "verified") return notSent("enter the card's PIN first");
      if (known.state.kind === "ready") return { kind: "verified" };
      if (known.state.kind !== "pin-needed") return notSent(reasonIn(known.state));
      if (known.state.ownPin === "refused") return notSent("the card has refused its own PIN for this key before");
      known.wanted = true;
      // Record the attempt before the card is asked: no crash may lead to a second attempt.
      await ledger.commit([{ kind: "own-pin", uid, outcome: "asked", at: clock.now() }]);
      const answer = await inTurn(uid, () => secureElement.verifyKeyPinAsOwn(uid));
      // Keep the card's answer in memory before it is stored: the service must not forget the answer if the disk is
      // full.
      const result = this.after(uid, known, OWN, answer);
      const wasSent = answer?.kind === "verified" || answer?.kind === "wrong-pin" || answer?.kind === "locked";
      if (wasSent) {
        const outcome = answer.kind === "verified" ? "accepted" : "refused";
        await ledger.commit([{ kind: "own-pin", uid, outcome, at: clock.now() }]);
      }
      return result;
    });
  }

  /** @param pin the PIN that a person has just entered */
  enterPin(pin: string): Promise<KeyPinAnswer> {
    return this.entering.run(async () => {
      const uid = this.inReader;
      const known = uid === undefined ? undefined : this.#cards.get(uid);
      if (uid === undefined || !known) return notSent("there is no card in the reader");
      if (!isKnown(known)) return notSent(reasonIn(known.state));
      if (!KEY_PIN_FORM.test(pin)) return notSent("this PIN has 4 to 8 digits");
      const mark = this.markOf(uid, pin);
      if (this.refused.has(mark)) return notSent("the card has refused this PIN before");
      known.wanted = true;
      const { inTurn, secureElement } = this.parts;
      const answer = await inTurn(uid, () => secureElement.verifyKeyPin(uid, pin, true));
      if (answer?.kind === "wrong-pin" || answer?.kind === "locked" || answer?.kind === "unknown") {
        this.refused.add(mark);
      }
      return this.after(uid, known, pin, answer);
    });
  }

  /**
   * Asks the authority for a token.
   * @throws AuthorityError
   */
  async token(uid: string, request: Omit<TokenRequest, "certificate" | "sign">): Promise<Token> {
    const known = this.#cards.get(uid);
    if (!known || !isKnown(known) || !this.isReady(uid)) throw cannot(reasonIn(known?.state));
    const { timer, changed } = this.parts;
    if (this.failure && timer.now() < this.retryAt) throw this.failure;
    try {
      const { certificate } = known;
      const token = await tokenWithCard({ ...request, certificate, sign: (info) => this.sign(uid, known, info) });
      this.forgetFailure();
      return token;
    } catch (error) {
      this.failures++;
      this.retryAt = timer.now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.failures - 1));
      this.failure = error instanceof AuthorityError ? error : cannot(messageOf(error));
      throw this.failure;
    } finally {
      changed();
    }
  }

  private async sign(uid: string, known: Known, digestInfo: Uint8Array): Promise<Uint8Array> {
    const { inTurn, secureElement, ledger, clock } = this.parts;
    const { pin } = known;
    const answer = await inTurn(uid, () => secureElement.signWithKey(uid, pin === OWN ? undefined : pin, digestInfo));
    if (answer?.kind === "signed") return answer.signature;
    this.after(uid, known, pin, answer);
    if (pin === OWN && (answer?.kind === "wrong-pin" || answer?.kind === "locked")) {
      await ledger.commit([{ kind: "own-pin", uid, outcome: "refused", at: clock.now() }]);
    }
    throw cannot(answer && "reason" in answer ? answer.reason : reasonIn(known.state));
  }

  /**
   * Updates the state after an answer of the card.
   * @param pin the PIN that was sent
   */
  private after(uid: string, known: Known, pin: Known["pin"], answer: KeyPinOutcome | undefined): KeyPinAnswer {
    try {
      switch (answer?.kind) {
        case "verified":
          known.pin = pin;
          known.state = { kind: "ready" };
          this.forgetFailure();
          return answer;
        case "wrong-pin": {
          known.pin = undefined;
          known.state = { kind: "attempt-missing", attempts: { left: answer.pinTriesLeft, full: undefined } };
          return answer;
        }
        case "locked":
          known.pin = undefined;
          known.state = { kind: "locked" };
          return answer;
        case "attempt-missing":
          known.pin = undefined;
          known.state = { kind: "attempt-missing", attempts: answer.attempts };
          return notSent(reasonIn(known.state));
        case "unknown":
          this.doubt(uid, known, pin);
          return answer;
        default:
          return notSent(answer?.reason ?? "the card was removed");
      }
    } finally {
      this.parts.changed();
    }
  }

  /** Reads the key again before it gets another PIN: only its attempts show what became of this one. */
  private doubt(uid: string, { state }: Known, pin: Known["pin"]): void {
    const mark = typeof pin === "string" ? this.markOf(uid, pin) : undefined;
    this.doubtful.set(uid, { mark, left: "attempts" in state ? state.attempts.left : undefined });
    this.#cards.delete(uid);
    this.look();
  }

  private markOf(uid: string, pin: string): string {
    return createHmac("sha256", this.parts.secret).update(`${uid} ${pin}`).digest("base64");
  }

  private forgetFailure(): void {
    this.failures = 0;
    this.retryAt = 0;
    this.failure = undefined;
  }
}

/** @param certificate DER */
function endOf(certificate: Uint8Array): number | undefined {
  try {
    return Date.parse(new X509Certificate(certificate).validTo);
  } catch {
    return undefined;
  }
}

function isKnown(known: { readonly state: CardTlsKeyState }): known is Known {
  return "certificate" in known;
}

function stateOf(attempts: PinAttempts, ownPin: "asked" | "accepted" | "refused" | undefined): CardTlsKeyState {
  if (attempts.left === 0) return { kind: "locked" };
  if (attempts.left !== attempts.full) return { kind: "attempt-missing", attempts };
  if (ownPin === "accepted") return { kind: "ready" };
  return { kind: "pin-needed", attempts, ownPin: ownPin === undefined ? "untried" : "refused" };
}

const notSent = (reason: string) => ({ kind: "not-sent", reason }) as const;

function reasonIn(state: CardTlsKeyState | undefined): string {
  switch (state?.kind) {
    case "no-key":
      return state.reason;
    case "attempt-missing":
      return `a wrong PIN was entered for the key in the card, ${state.attempts.left} attempts are left; enter the right one: tillseal pki-pin`;
    case "locked":
      return "the PIN of the key in the card is locked: ask the tax authority";
    case "pin-needed":
      return "the key in the card needs its PIN: tillseal pki-pin";
    case "ready":
      return "the key in the card needs the card's PIN first";
    default:
      return "the key in the card was not read yet";
  }
}

function cannot(reason: string): AuthorityError {
  return new AuthorityError("unreachable", `no token: ${reason}`);
}
