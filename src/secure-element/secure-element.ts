/**
 * The card as fiscal operations. Expected outcomes are values; exceptions are for the unexpected. No APDU and no status
 * word leaves this layer.
 */
import type { KeyObject } from "node:crypto";
import type { EventEmitter } from "node:events";
import type { Taxpayer } from "../fiscal/invoice.js";
import type { Scaled } from "../fiscal/money.js";
import type { CardSignature } from "../fiscal/sign-answer.js";
import type { SignedHeader } from "../fiscal/signing-header.js";
import type { CategoryTax } from "../fiscal/tax.js";
import type { CardReason } from "./card-reason.js";

/** The card's identity (protocol facts, section 1, "Certificate subject"). */
export interface CardIdentity {
  /** 8 characters. */
  readonly uid: string;
  readonly taxpayer: Taxpayer;
  /** Two letters. */
  readonly country: string;
  readonly taxAuthorityApi: string;
  /** Dotted version of the applet. */
  readonly appletVersion: string;
  /** Name of the authority that issued the certificate. */
  readonly issuer: string;
  /** Whether the emulator's authority issued the certificate: anyone can make such a card. */
  readonly isTest: boolean;
  /** X.509 DER. */
  readonly certificate: Uint8Array;
  /** Public key of the certificate, which verifies the card's signatures. */
  readonly publicKey: KeyObject;
  /** ms since the epoch. */
  readonly validFrom: number;
  /** ms since the epoch. */
  readonly validTo: number;
}

/** The PIN session: volatile, ended by removal, reset or restart (protocol facts, section 1). */
export type PinState = "required" | "verified" | "locked";

export type SecureElementState =
  | { readonly card: "no-card"; readonly reason: string; readonly why: CardReason; readonly noReader: boolean }
  /** A card is there but does not work: no applet, no answer, an unreadable certificate. */
  | { readonly card: "unreachable"; readonly reason: string; readonly why: CardReason }
  | { readonly card: "unsupported"; readonly reason: string; readonly why: CardReason }
  | {
      readonly card: "ready";
      readonly identity: CardIdentity;
      /** Changes with each insertion, reset and start, and after {@link SecureElement.refresh}. */
      readonly session: number;
      readonly pin: PinState;
      /** Why the card refused the last signature; no command reports it beforehand. */
      readonly refuses: SigningRefusal | undefined;
      /** Whether the current command has had no answer for 2 s. */
      readonly silent: boolean;
    };

/** Refusals that last until the authority acts, or for good. */
export type SigningRefusal = "disabled" | "counter-at-end";

/** What the card signs (protocol facts, section 2). */
export interface SignRequest extends SignedHeader {
  readonly categories: readonly CategoryTax[];
}

/** There is no card, or it does not answer as it should. */
export type NotReached =
  | { readonly kind: "no-card"; readonly reason: string }
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "unsupported"; readonly reason: string };

export type PinOutcome =
  | { readonly kind: "verified" }
  /** `pinTriesLeft` if the card reports it. */
  | { readonly kind: "wrong-pin"; readonly pinTriesLeft?: number }
  | { readonly kind: "locked" }
  | NotReached;

export type SignOutcome =
  | { readonly kind: "signed"; readonly signature: CardSignature }
  | { readonly kind: "pin-required" }
  | { readonly kind: "locked" }
  /** The limit is reached: an audit is needed. */
  | { readonly kind: "limit-reached" }
  /** The authority has switched signing off. */
  | { readonly kind: "disabled" }
  | { readonly kind: "counter-at-end" }
  | { readonly kind: "too-many-categories" }
  | { readonly kind: "bad-data" }
  | { readonly kind: "time-outside-certificate" }
  /** Another program had selected another applet, which refused: nothing was signed. The card has begun another session. */
  | { readonly kind: "applet-lost" }
  /** The exchange broke off: only {@link SecureElement.lastSigned} shows whether the card has signed. */
  | { readonly kind: "unknown"; readonly reason: string }
  | NotReached;

export type LastSignedOutcome =
  | { readonly kind: "signed"; readonly signature: CardSignature }
  | { readonly kind: "nothing-signed" }
  /** The card does not have the command. */
  | { readonly kind: "no-command" }
  /** The card has the command, but its answer makes no sense, even after selecting and connecting again. */
  | { readonly kind: "odd"; readonly reason: string }
  | { readonly kind: "pin-required" }
  | NotReached;

export interface AmountStatus {
  /** Signed since the last audit. */
  readonly sum: Scaled;
  readonly limit: Scaled;
}

export type AmountStatusOutcome = ({ readonly kind: "ok" } & AmountStatus) | NotReached;
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

/** The operations of an audit, apart from selling (protocol facts, section 8). */
export interface AuditableElement {
  /** The tax authority's public key: 256 bytes of modulus and 3 of exponent. */
  taxAuthorityKey(): Promise<BytesOutcome>;
  /** Raw audit data. */
  exportInternalData(): Promise<BytesOutcome>;
  /** 260 bytes: 01000000 and a block for the authority. */
  startAudit(): Promise<BytesOutcome>;
  /** @param proof 256 bytes, the proof of audit. */
  endAudit(proof: Uint8Array): Promise<EndAuditOutcome>;
  /**
   * @param directive the authority's bytes, passed on unchanged.
   * @param uid of the required card; `no-card` if another card is there by now
   */
  directive(directive: Uint8Array, uid?: string): Promise<BytesOutcome>;
}

/** The attempts of the PKI applet's PIN. */
export interface PinAttempts {
  readonly left: number;
  /** Number of attempts after a right PIN; undefined if the card does not report it. */
  readonly full: number | undefined;
}

/** The card has no PKI applet, no certificate in it, or gave an answer that makes no sense. */
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
  /** X.509 DER, and the attempts left. Needs no PIN. */
  keyCertificate(uid: string): Promise<KeyCertificateOutcome>;
  /** @param askedFor whether a person has just entered this PIN; otherwise it is sent only if no attempt is missing */
  verifyKeyPin(uid: string, pin: string, askedFor: boolean): Promise<KeyPinOutcome>;
  /**
   * Sends the secure element's verified PIN to the PKI applet, if no attempt is missing. Both applets may have the same PIN.
   * @returns `no-key` if that PIN is not in memory
   */
  verifyKeyPinAsOwn(uid: string): Promise<KeyPinOutcome>;
  /** PKCS #1 v1.5. @param pin of the PKI applet; undefined for the secure element's. @param digestInfo DER */
  signWithKey(uid: string, pin: string | undefined, digestInfo: Uint8Array): Promise<KeySignatureOutcome>;
}

/** The form of the PKI applet's PIN. */
export const KEY_PIN_FORM = /^\d{4,8}$/;

/** The form of a PIN. A malformed PIN is wrong without asking the card, and costs no attempt. */
export const PIN_FORM = /^\d{4}$/;

export interface SecureElementEvents {
  changed: [SecureElementState];
  /** The card was removed or reset, which may be noticed late: earlier refusals and acceptances no longer apply. */
  left: [];
}

/** The request for which the card is used: for log, metrics and traffic log. */
export type Caller = object;

export interface SecureElement extends AuditableElement, KeyElement, EventEmitter<SecureElementEvents> {
  readonly state: SecureElementState;
  /** The request that the card works for now; undefined for the service itself. */
  readonly caller: Caller | undefined;
  start(): Promise<void>;
  close(): Promise<void>;
  /** Tries again a card that was unreachable or refused to sign. @returns the state */
  refresh(by?: Caller): Promise<SecureElementState>;
  /** @param pin digits; never stored on disk @returns `no-card` if the card was swapped while the PIN waited */
  verifyPin(pin: string, by?: Caller): Promise<PinOutcome>;
  /** @param uid of the required card; `no-card` if another card is there by now */
  sign(uid: string, request: SignRequest, by?: Caller): Promise<SignOutcome>;
  /** @param uid as for {@link sign} */
  lastSigned(uid: string, by?: Caller): Promise<LastSignedOutcome>;
  /** @param uid as for {@link sign}, if a certain card is required */
  amountStatus(uid?: string, by?: Caller): Promise<AmountStatusOutcome>;
  pinTriesLeft(by?: Caller): Promise<TriesLeftOutcome>;
}
