/**
 * The key in the card's PKI applet, with which the service gets tokens from the authority once it knows the key's PIN.
 * The PIN is in memory only. The store keeps only whether the applet has refused the card's own PIN, so that the
 * service does not try that PIN again after a restart.
 */
import { createHmac, X509Certificate } from "node:crypto";
import type { EpochMs } from "../base/epoch-ms.js";
import { Mutex } from "../base/mutex.js";
import type { Background } from "../base/repeater.js";
import { messageOf } from "../base/thrown.js";
import type { AuthorityLedger, OwnPin } from "../ledger/authority-ledger.js";
import {
  type AttemptMissing,
  KEY_PIN_FORM,
  type KeyElement,
  type KeyPinOutcome,
  type NoKey,
  type PinAttempts,
  readyUid,
  type SecureElement,
} from "../secure-element/secure-element.js";
import { AuthorityError } from "./tax-authority.js";
import type { Token } from "./token.js";
import { type TokenRequest, tokenWithCard } from "./token-process.js";

/** ms before the next attempt after a failure. The time doubles with each further failure. */
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 3_600_000;

export type CardTlsKeyState =
  | NoKey
  /** The key needs its PIN. If `ownPin` is `untried`, the card's own PIN may be tried once. */
  | { readonly kind: "pin-needed"; readonly attempts: PinAttempts; readonly ownPin: "untried" | "refused" }
  /** A wrong PIN was entered since the last right one: the service sends no PIN until a person enters the right one. */
  | AttemptMissing
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

/** The result of entering a PIN. `not-sent`: the card did not get the PIN, so no attempt was lost. */
type KeyPinAnswer =
  | Extract<KeyPinOutcome, { kind: "verified" | "wrong-pin" | "locked" | "unknown" }>
  | { readonly kind: "not-sent"; readonly reason: string };

/** Stands for the card's own PIN, which only the secure element has. */
const OWN = Symbol("the card's own PIN");

interface Key {
  /** DER; empty with the state `no-key`. */
  readonly certificate: Uint8Array;
  readonly validTo: EpochMs | undefined;
  state: CardTlsKeyState;
  pin: string | typeof OWN | undefined;
  wanted: boolean;
}

export interface CardTlsKeyParts extends Pick<Background, "clock" | "timer" | "changed"> {
  readonly secureElement: Pick<SecureElement, "state" | "on"> & KeyElement;
  /** Runs a task with the card between two sales. */
  readonly inTurn: <T>(uid: string, task: () => Promise<T>) => Promise<T | undefined>;
  readonly ledger: Pick<AuthorityLedger, "ownPin" | "commit">;
  /** The key for hashes of refused PINs, 32 bytes. */
  readonly secret: Uint8Array;
  readonly wanted: boolean;
}

export class CardTlsKey {
  readonly #cards = new Map<string, Key>();
  /** Keyed hashes of PINs that were refused. */
  private readonly refused = new Set<string>();
  /** By UID: the PIN whose answer is not known, and the attempts before it. It counts as refused, until they are read. */
  private readonly doubtful = new Map<string, { readonly mark?: string | undefined; readonly left?: number }>();
  private readonly entering = new Mutex();
  private readonly looking = new Set<string>();
  /** The last failed attempt to get a token, and how many failed in a row. */
  private failure: { readonly error: AuthorityError; readonly count: number; readonly retryAt: number } | undefined;

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
    const key = this.#cards.get(this.inReader ?? "");
    if (!key) return undefined;
    const { state, wanted, validTo } = key;
    return { state, wanted: wanted || this.parts.wanted, problem: this.failure?.error, validTo };
  }

  /** Whether the service may ask for a token with this key now. */
  isReady(uid: string): boolean {
    const key = this.#cards.get(uid);
    if (key?.state.kind !== "ready") return false;
    const { state } = this.parts.secureElement;
    return key.pin !== OWN || (state.kind === "ready" && state.pin === "verified");
  }

  /** Whether the service uses this key, also if it gets no token at the moment. */
  get isUsed(): boolean {
    return this.facts?.state.kind === "ready";
  }

  private get inReader(): string | undefined {
    return readyUid(this.parts.secureElement.state);
  }

  private look(): void {
    const uid = this.inReader;
    if (uid === undefined || this.#cards.has(uid) || this.looking.has(uid)) return;
    this.looking.add(uid);
    void this.read(uid)
      .catch((error: unknown) => withoutKey(messageOf(error), false))
      .then((key) => {
        this.#cards.set(uid, key);
        this.looking.delete(uid);
        this.parts.changed();
      });
  }

  private async read(uid: string): Promise<Key> {
    const { inTurn, secureElement, ledger } = this.parts;
    const doubt = this.doubtful.get(uid);
    let ownPin = await ledger.ownPin(uid);
    const wanted = ownPin !== undefined || doubt !== undefined;
    const key = await inTurn(uid, () => secureElement.keyCertificate(uid));
    if (key?.kind !== "ok") return withoutKey(key?.reason ?? REMOVED, wanted);
    const { certificate, attempts } = key;
    if (doubt && attempts.left >= (doubt.left ?? attempts.full ?? Number.POSITIVE_INFINITY)) {
      // No attempt is lost: the card has accepted this PIN, or has not got it.
      if (doubt.mark === undefined) ownPin = ownPin === "asked" ? undefined : ownPin;
      else this.refused.delete(doubt.mark);
    }
    this.doubtful.delete(uid);
    const state = stateOf(attempts, ownPin);
    return { certificate, validTo: endOf(certificate), state, pin: state.kind === "ready" ? OWN : undefined, wanted };
  }

  /**
   * Sends the card's own PIN, which both applets may have. Call this only after a person has asked for it: a card gets
   * the PIN in this way only once, ever.
   */
  tryOwnPin(): Promise<KeyPinAnswer> {
    return this.withKey(async (uid, key) => {
      const { secureElement, inTurn } = this.parts;
      const { state } = secureElement;
      if (state.kind !== "ready" || state.pin !== "verified") return notSent("enter the card's PIN first");
      if (key.state.kind === "ready") return { kind: "verified" };
      if (key.state.kind !== "pin-needed") return notSent(reasonIn(key.state));
      if (key.state.ownPin === "refused") return notSent("the card has refused its own PIN for this key before");
      key.wanted = true;
      // Record the attempt before the card is asked: no crash may lead to a second attempt.
      await this.storeOwnPin(uid, "asked");
      const answer = await inTurn(uid, () => secureElement.verifyKeyPin(uid));
      // Keep the answer in memory before it is stored: the service must not forget it if the disk is full.
      const result = this.after(uid, key, OWN, answer);
      if (answer?.kind === "verified") await this.storeOwnPin(uid, "accepted");
      if (isRefusal(answer)) await this.storeOwnPin(uid, "refused");
      return result;
    });
  }

  /** @param pin the PIN that a person has just entered */
  enterPin(pin: string): Promise<KeyPinAnswer> {
    return this.withKey(async (uid, key) => {
      if (!KEY_PIN_FORM.test(pin)) return notSent("this PIN has 4 to 8 digits");
      const mark = this.markOf(uid, pin);
      if (this.refused.has(mark)) return notSent("the card has refused this PIN before");
      key.wanted = true;
      const { inTurn, secureElement } = this.parts;
      const answer = await inTurn(uid, () => secureElement.verifyKeyPin(uid, pin));
      if (isRefusal(answer) || answer?.kind === "unknown") this.refused.add(mark);
      return this.after(uid, key, pin, answer);
    });
  }

  /** Runs one task at a time with the key of the card in the reader. */
  private withKey(task: (uid: string, key: Key) => Promise<KeyPinAnswer>): Promise<KeyPinAnswer> {
    return this.entering.run(async () => {
      const uid = this.inReader ?? "";
      const key = this.#cards.get(uid);
      if (!key) return notSent("there is no card in the reader");
      return key.state.kind === "no-key" ? notSent(key.state.reason) : task(uid, key);
    });
  }

  /** @throws AuthorityError */
  async token(uid: string, request: Omit<TokenRequest, "certificate" | "sign">): Promise<Token> {
    const key = this.#cards.get(uid);
    if (!key || !this.isReady(uid)) throw cannot(reasonIn(key?.state));
    const { timer, changed } = this.parts;
    if (this.failure && timer.now() < this.failure.retryAt) throw this.failure.error;
    try {
      const { certificate } = key;
      const token = await tokenWithCard({ ...request, certificate, sign: (info) => this.sign(uid, key, info) });
      this.failure = undefined;
      return token;
    } catch (thrown) {
      const count = (this.failure?.count ?? 0) + 1;
      const retryAt = timer.now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (count - 1));
      const error = thrown instanceof AuthorityError ? thrown : cannot(messageOf(thrown));
      this.failure = { error, count, retryAt };
      throw error;
    } finally {
      changed();
    }
  }

  private async sign(uid: string, key: Key, digestInfo: Uint8Array): Promise<Uint8Array> {
    const { inTurn, secureElement } = this.parts;
    const { pin } = key;
    const answer = await inTurn(uid, () => secureElement.signWithKey(uid, pin === OWN ? undefined : pin, digestInfo));
    if (answer?.kind === "signed") return answer.signature;
    this.after(uid, key, pin, answer);
    if (pin === OWN && isRefusal(answer)) await this.storeOwnPin(uid, "refused");
    throw cannot(answer && "reason" in answer ? answer.reason : reasonIn(key.state));
  }

  private storeOwnPin(uid: string, outcome: OwnPin): Promise<void> {
    const { ledger, clock } = this.parts;
    return ledger.commit([{ kind: "own-pin", uid, outcome, at: clock.now() }]);
  }

  /** Updates the state after an answer of the card. @param pin the PIN that was sent */
  private after(uid: string, key: Key, pin: Key["pin"], answer: KeyPinOutcome | undefined): KeyPinAnswer {
    const state = answer && stateAfter(answer);
    if (state) {
      key.state = state;
      key.pin = state.kind === "ready" ? pin : undefined;
      if (state.kind === "ready") this.failure = undefined;
    }
    if (answer?.kind === "unknown") this.doubt(uid, key, pin);
    this.parts.changed();
    switch (answer?.kind) {
      case "verified":
      case "wrong-pin":
      case "locked":
      case "unknown":
        return answer;
      case "attempt-missing":
        return notSent(reasonIn(answer));
      default:
        return notSent(answer?.reason ?? REMOVED);
    }
  }

  /** Reads the key again before it gets another PIN: only its attempts show what became of this one. */
  private doubt(uid: string, { state }: Key, pin: Key["pin"]): void {
    const mark = typeof pin === "string" ? this.markOf(uid, pin) : undefined;
    this.doubtful.set(uid, { mark, ...("attempts" in state && { left: state.attempts.left }) });
    this.#cards.delete(uid);
    this.look();
  }

  private markOf(uid: string, pin: string): string {
    return createHmac("sha256", this.parts.secret).update(`${uid} ${pin}`).digest("base64");
  }
}

const REMOVED = "the card was removed";

function withoutKey(reason: string, wanted: boolean): Key {
  const state = { kind: "no-key", reason } as const;
  return { certificate: new Uint8Array(), validTo: undefined, state, pin: undefined, wanted };
}

/** @param certificate DER */
function endOf(certificate: Uint8Array): EpochMs | undefined {
  try {
    return Date.parse(new X509Certificate(certificate).validTo);
  } catch {
    return undefined;
  }
}

function isRefusal(answer: { readonly kind: string } | undefined): boolean {
  return answer?.kind === "wrong-pin" || answer?.kind === "locked";
}

function stateOf(attempts: PinAttempts, ownPin: OwnPin | undefined): CardTlsKeyState {
  if (attempts.left === 0) return { kind: "locked" };
  if (attempts.left !== attempts.full) return { kind: "attempt-missing", attempts };
  if (ownPin === "accepted") return { kind: "ready" };
  return { kind: "pin-needed", attempts, ownPin: ownPin === undefined ? "untried" : "refused" };
}

/** The state that an answer proves; undefined if it proves none. */
function stateAfter(answer: KeyPinOutcome): CardTlsKeyState | undefined {
  switch (answer.kind) {
    case "verified":
      return { kind: "ready" };
    case "wrong-pin":
      return { kind: "attempt-missing", attempts: { left: answer.pinTriesLeft, full: undefined } };
    case "locked":
    case "attempt-missing":
      return answer;
    default:
      return undefined;
  }
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
