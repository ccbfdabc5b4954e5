/**
 * The card in fiscal verbs. Expected outcomes are values; exceptions are for the unexpected.
 * No APDU and no status word leaks above this file.
 */
import type { KeyObject } from "node:crypto";
import type { EventEmitter } from "node:events";
import type { Taxpayer } from "../fiscal/invoice.js";
import type { Scaled } from "../fiscal/money.js";
import type { CardSignature } from "../fiscal/sign-answer.js";
import type { SignedHeader } from "../fiscal/signing-header.js";
import type { CategoryTax } from "../fiscal/tax.js";
import type { CardReason } from "./card-reason.js";

/** Who the card is (protocol facts, section 1, "Certificate subject"). */
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
  /** Whether the emulator's authority issued it: anybody can make such cards. */
  readonly isTest: boolean;
  /** X.509 DER. */
  readonly certificate: Uint8Array;
  /** The certificate's: what the card signs verifies with it. */
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
  /** A card is there and does not work: no applet, no answer, an unreadable certificate. */
  | { readonly card: "unreachable"; readonly reason: string; readonly why: CardReason }
  | { readonly card: "unsupported"; readonly reason: string; readonly why: CardReason }
  | {
      readonly card: "ready";
      readonly identity: CardIdentity;
      /** Another number after each insertion, reset and start, and after {@link SecureElement.refresh}. */
      readonly session: number;
      readonly pin: PinState;
      /** Why the card refused to sign last time; no command says it beforehand. */
      readonly refuses: SigningRefusal | undefined;
      /** Whether the command that is under way has had no answer for 2 s. */
      readonly silent: boolean;
    };

/** What lasts until the authority acts, or for good. */
export type SigningRefusal = "disabled" | "counter-at-end";

/** What the card signs (protocol facts, section 2). */
export interface SignRequest extends SignedHeader {
  readonly categories: readonly CategoryTax[];
}

/** No card to talk to, or one that does not answer as it should. */
export type NotReached =
  | { readonly outcome: "no-card"; readonly reason: string }
  | { readonly outcome: "unreachable"; readonly reason: string }
  | { readonly outcome: "unsupported"; readonly reason: string };

export type PinOutcome =
  | { readonly outcome: "verified" }
  /** `pinTriesLeft` where the card tells. */
  | { readonly outcome: "wrong-pin"; readonly pinTriesLeft?: number }
  | { readonly outcome: "locked" }
  | NotReached;

export type SignOutcome =
  | { readonly outcome: "signed"; readonly signature: CardSignature }
  | { readonly outcome: "pin-required" }
  | { readonly outcome: "locked" }
  /** The limit is reached: an audit is needed. */
  | { readonly outcome: "limit-reached" }
  /** The authority has switched signing off. */
  | { readonly outcome: "disabled" }
  | { readonly outcome: "counter-at-end" }
  | { readonly outcome: "too-many-categories" }
  | { readonly outcome: "bad-data" }
  | { readonly outcome: "time-outside-certificate" }
  /** The exchange broke off: whether the card has signed is known only after {@link SecureElement.lastSigned}. */
  | { readonly outcome: "unknown"; readonly reason: string }
  | NotReached;

export type LastSignedOutcome =
  | { readonly outcome: "signed"; readonly signature: CardSignature }
  | { readonly outcome: "nothing-signed" }
  /** The card does not have the command. */
  | { readonly outcome: "no-command" }
  /** The card has the command, and its answer makes no sense, also after it was selected and connected again. */
  | { readonly outcome: "odd"; readonly reason: string }
  | { readonly outcome: "pin-required" }
  | NotReached;

export interface AmountStatus {
  /** Signed since the last audit. */
  readonly sum: Scaled;
  readonly limit: Scaled;
}

export type AmountStatusOutcome = ({ readonly outcome: "ok" } & AmountStatus) | NotReached;
export type TriesLeftOutcome =
  | { readonly outcome: "ok"; readonly pinTriesLeft: number }
  | { readonly outcome: "no-command" }
  | NotReached;
export type BytesOutcome =
  | { readonly outcome: "ok"; readonly bytes: Uint8Array }
  | { readonly outcome: "refused"; readonly reason: string }
  | { readonly outcome: "pin-required" }
  | NotReached;
export type EndAuditOutcome =
  | { readonly outcome: "accepted" }
  | { readonly outcome: "bad-proof" }
  | { readonly outcome: "no-audit-open" }
  | { readonly outcome: "pin-required" }
  | NotReached;

/** The audit's verbs, apart from selling (protocol facts, section 8). */
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
   * @param directive the authority's bytes, passed on as they are.
   * @param uid of the card that is meant; `no-card` where another is there by now
   */
  directive(directive: Uint8Array, uid?: string): Promise<BytesOutcome>;
}

/** What a card takes for a PIN; anything else is wrong without asking it, and costs no try. */
export const PIN_FORM = /^\d{4}$/;

export interface SecureElementEvents {
  changed: [SecureElementState];
  /** The card was removed or reset, which may be noticed late: what it has refused and accepted before no longer holds. */
  left: [];
}

/** The request on whose behalf the card is used, for the emulator's traffic log. Nothing else reads it. */
export type Caller = object;

export interface SecureElement extends AuditableElement, EventEmitter<SecureElementEvents> {
  readonly state: SecureElementState;
  /** For whom the card is asked now; undefined for the service itself. */
  readonly caller: Caller | undefined;
  start(): Promise<void>;
  close(): Promise<void>;
  /** Forgets what is known of the card: one that was unreachable or refused to sign is tried again. @returns the state */
  refresh(by?: Caller): Promise<SecureElementState>;
  /** `no-card` where the card has been swapped while the PIN waited for it. @param pin digits; kept nowhere. */
  verifyPin(pin: string, by?: Caller): Promise<PinOutcome>;
  /** @param uid of the card that is meant; `no-card` where another is there by now */
  sign(uid: string, request: SignRequest, by?: Caller): Promise<SignOutcome>;
  /** @param uid as for {@link sign} */
  lastSigned(uid: string, by?: Caller): Promise<LastSignedOutcome>;
  /** @param uid as for {@link sign}, where one card is meant */
  amountStatus(uid?: string, by?: Caller): Promise<AmountStatusOutcome>;
  pinTriesLeft(by?: Caller): Promise<TriesLeftOutcome>;
}
