/**
 * The fiscal operations of the card. An operation returns each expected outcome as a value; an exception means an
 * unexpected error. Callers see no APDU and no status word.
 */

import type { KeyObject } from "node:crypto";
import type { EventEmitter } from "node:events";
import type { EpochMs } from "../base/epoch-ms.js";
import type { Taxpayer } from "../fiscal/invoice.js";
import type { Amounts } from "../fiscal/limit.js";
import type { CardSignature } from "../fiscal/sign-answer.js";
import type { CategoryTax } from "../fiscal/tax.js";
import type { CardReason } from "./card-reason.js";

/** The card's identity (protocol facts, section 1, "Certificate subject"). */
export interface CardIdentity {
  readonly uid: string;
  readonly taxpayer: Taxpayer;
  /** Code of the country, two letters. */
  readonly country: string;
  readonly taxAuthorityApi: string;
  /** Version of the applet: three numbers with dots between them. */
  readonly appletVersion: string;
  readonly issuer: string;
  /** Whether the emulator's authority issued the certificate. Anyone can make such a card, so it is only for tests. */
  readonly isTest: boolean;
  /** X.509 DER. */
  readonly certificate: Uint8Array;
  /** Public key of the certificate, which verifies the card's signatures. */
  readonly publicKey: KeyObject;
  readonly validFrom: EpochMs;
  readonly validTo: EpochMs;
}

/** State of the PIN session. Removal, reset or restart ends the session (protocol facts, section 1). */
export type PinState = "required" | "verified" | "locked";

export type SecureElementState =
  | { readonly kind: "no-card"; readonly reason: string; readonly why: CardReason; readonly noReader: boolean }
  /** A card is in the reader but does not work: it has no applet, gives no answer or has an unreadable certificate. */
  | { readonly kind: "unreachable" | "unsupported"; readonly reason: string; readonly why: CardReason }
  | {
      readonly kind: "ready";
      readonly identity: CardIdentity;
      /** Number that changes with each insertion, reset and start, and after {@link SecureElement.refresh}. */
      readonly session: number;
      readonly pin: PinState;
      /** Why the card refused the last signature; undefined if it did not. No command reports a refusal beforehand. */
      readonly refuses: SigningRefusal | undefined;
      /** Whether the current command has had no answer for 2 s; a signature, for as long as a reader waits for it. */
      readonly silent: boolean;
      /** Since when the card has worked on a signature, if that takes more than 2 s and the card is not `silent`. */
      readonly signingSince?: EpochMs | undefined;
    };

/** UID of the card that is ready; undefined without one. */
export function readyUid(state: SecureElementState): string | undefined {
  return state.kind === "ready" ? state.identity.uid : undefined;
}

/**
 * Why the card refuses to sign. `disabled` lasts until the authority enables the card, `counter-at-end` for ever.
 * `refused`: with a status word that no document of the card names.
 */
export type SigningRefusal = "disabled" | "counter-at-end" | "refused";

/** The data that the card signs (protocol facts, section 2). */
export interface SignRequest {
  /** The 57 bytes of `encodeSignedHeader`. */
  readonly header: Uint8Array;
  readonly categories: readonly CategoryTax[];
}

/** There is no card, or the card does not answer as it should. */
export interface NotReached {
  readonly kind: "no-card" | "unreachable" | "unsupported";
  readonly reason: string;
}

export type PinOutcome =
  | { readonly kind: "verified" }
  /** The PIN is wrong. `pinTriesLeft` is absent if the card does not report the number. */
  | { readonly kind: "wrong-pin"; readonly pinTriesLeft?: number }
  | { readonly kind: "locked" }
  /** `unclear`: the card got the PIN and its answer is missing or says nothing, so that an attempt may be lost. */
  | (NotReached & { readonly unclear?: true });

export type SignOutcome =
  | { readonly kind: "signed"; readonly signature: CardSignature }
  /** The PIN session has ended, so the card was not asked. */
  | { readonly kind: "pin-required" }
  /** The card says that no PIN was verified. */
  | { readonly kind: "pin-refused" }
  | { readonly kind: "locked" }
  /** The card says that it is locked, and does not report its attempts. */
  | { readonly kind: "lock-refused" }
  /** The card's limit is reached: the card signs again only after an audit. */
  | { readonly kind: "limit-reached" }
  /** The authority has switched signing off. */
  | { readonly kind: "disabled" }
  /** The card refused with a status word of ISO 7816-4 that no document of the card names. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "counter-at-end" | "too-many-categories" | "bad-data" | "time-outside-certificate" }
  /**
   * Another program had selected another applet, and that applet refused the command, so nothing was signed. The next
   * command begins a new session with the card.
   */
  | { readonly kind: "applet-lost" }
  /** The exchange broke off: only {@link SecureElement.lastSigned} shows whether the card has signed. */
  | { readonly kind: "unknown"; readonly reason: string }
  | NotReached;

export type LastSignedOutcome =
  | { readonly kind: "signed"; readonly signature: CardSignature }
  | { readonly kind: "nothing-signed" }
  | { readonly kind: "no-command" }
  /** The card has the command, but its answer makes no sense, even after the applet was selected again. */
  | { readonly kind: "odd"; readonly reason: string }
  | { readonly kind: "pin-required" }
  | NotReached;

export type AmountStatusOutcome = ({ readonly kind: "ok" } & Amounts) | NotReached;
export type TriesLeftOutcome =
  | { readonly kind: "ok"; readonly pinTriesLeft: number }
  | { readonly kind: "no-command" }
  | NotReached;
export type BytesOutcome =
  | { readonly kind: "ok"; readonly bytes: Uint8Array }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "pin-required" }
  | NotReached;
export type EndAuditOutcome =
  | { readonly kind: "accepted" }
  | { readonly kind: "bad-proof" }
  | { readonly kind: "no-audit-open" }
  | { readonly kind: "pin-required" }
  | NotReached;

export interface PinAttempts {
  readonly left: number;
  /** Number of attempts after a right PIN; undefined if the card does not report it. */
  readonly full: number | undefined;
}

/** The PKI applet's key cannot be used. `reason` says why: for example, the card has no PKI applet. */
export type NoKey = { readonly kind: "no-key"; readonly reason: string };

/** The PIN was not sent, because an attempt is missing: another program, or a person, has entered a wrong PIN. */
export type AttemptMissing = { readonly kind: "attempt-missing"; readonly attempts: PinAttempts };

export type KeyCertificateOutcome =
  | { readonly kind: "ok"; readonly certificate: Uint8Array; readonly attempts: PinAttempts }
  | NoKey
  | NotReached;

export type KeyPinOutcome =
  | { readonly kind: "verified" }
  | { readonly kind: "wrong-pin"; readonly pinTriesLeft: number }
  | { readonly kind: "locked" }
  /** The PIN was sent and its answer is missing or makes no sense: an attempt may be lost. */
  | { readonly kind: "unknown"; readonly reason: string }
  | AttemptMissing
  | NoKey
  | NotReached;

export type KeySignatureOutcome =
  | { readonly kind: "signed"; readonly signature: Uint8Array }
  | Exclude<KeyPinOutcome, { kind: "verified" }>;

/**
 * The key in the card's PKI applet, which identifies the shop to the tax authority (protocol facts, section 1). After
 * each operation, the service selects the secure element applet again and restores the applet's PIN session if it can.
 * The number `session` in the card's state has then changed.
 */
export interface KeyElement {
  /** Reads the certificate (X.509 DER) and the number of attempts that are left. Needs no PIN. */
  keyCertificate(uid: string): Promise<KeyCertificateOutcome>;
  /**
   * @param pin a PIN that a person has just entered. Without it, the PKI applet gets the secure element's PIN, if no
   *   attempt is missing: both applets may have the same PIN. The outcome is `no-key` if that PIN is not in memory.
   */
  verifyKeyPin(uid: string, pin?: string): Promise<KeyPinOutcome>;
  /** @param pin as for {@link verifyKeyPin}, if no attempt is missing @param digestInfo DER, for PKCS #1 v1.5 */
  signWithKey(uid: string, pin: string | undefined, digestInfo: Uint8Array): Promise<KeySignatureOutcome>;
}

export const KEY_PIN_FORM = /^\d{4,8}$/;

/** The form of the secure element's PIN. A malformed PIN is refused without asking the card, and costs no attempt. */
export const PIN_FORM = /^\d{4}$/;

export interface SecureElementEvents {
  changed: [SecureElementState];
  /** The card was removed or reset, perhaps some time ago: earlier refusals and acceptances of PINs no longer apply. */
  left: [];
}

/** The request for which the card is used. Log, metrics and traffic log show the exchanges of each request. */
export type Caller = object;

export interface SecureElement extends KeyElement, EventEmitter<SecureElementEvents> {
  readonly state: SecureElementState;
  /** The request for which the card works now; undefined if the card works for the service itself. */
  readonly caller: Caller | undefined;
  start(): Promise<void>;
  close(): Promise<void>;
  /** Tries to use a card again that was unreachable or refused to sign. @returns the state */
  refresh(by?: Caller): Promise<SecureElementState>;
  /** @param pin is never stored on disk @returns `no-card` if the card was swapped while the PIN waited */
  verifyPin(pin: string, by?: Caller): Promise<PinOutcome>;
  /**
   * A refusal may be the answer to an earlier command, although the card has signed: ask {@link lastSigned} if the card
   * has that command.
   * @param uid UID of the required card; the outcome is `no-card` if another card is in the reader by then
   */
  sign(uid: string, request: SignRequest, by?: Caller): Promise<SignOutcome>;
  /** @param uid UID of the required card, as for {@link sign} */
  lastSigned(uid: string, by?: Caller): Promise<LastSignedOutcome>;
  /** @param uid UID of the required card, as for {@link sign}; undefined if any card is right */
  amountStatus(uid?: string, by?: Caller): Promise<AmountStatusOutcome>;
  pinTriesLeft(by?: Caller): Promise<TriesLeftOutcome>;
  /** Exports the tax authority's public key: 256 bytes of modulus and 3 bytes of exponent. */
  taxAuthorityKey(): Promise<BytesOutcome>;
  /** Starts an audit. The card answers 260 bytes: 01000000 and a block for the authority. */
  startAudit(): Promise<BytesOutcome>;
  /** Ends an audit. @param proof the proof of audit, 256 bytes @param uid as for {@link directive} */
  endAudit(proof: Uint8Array, uid?: string): Promise<EndAuditOutcome>;
  /**
   * @param directive the authority's bytes, which the card gets unchanged
   * @param uid UID of the required card; the outcome is `no-card` if another card is in the reader by then
   */
  directive(directive: Uint8Array, uid?: string): Promise<BytesOutcome>;
}
