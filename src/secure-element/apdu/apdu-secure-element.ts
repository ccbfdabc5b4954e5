/**
 * The only APDU client, for every card, real or emulated (docs/architecture.md, "The one idea: a card is a card").
 * Commands run one at a time on the card that {@link CardSlot} has open.
 */
import type { CardSignature } from "../../fiscal/sign-answer.js";
import { CardError, type CardReader } from "../card-reader.js";
import type {
  AmountStatusOutcome,
  BytesOutcome,
  Caller,
  EndAuditOutcome,
  KeyCertificateOutcome,
  KeyPinOutcome,
  KeySignatureOutcome,
  LastSignedOutcome,
  NoKey,
  NotReached,
  PinOutcome,
  SecureElement,
  SignOutcome,
  SignRequest,
  TriesLeftOutcome,
} from "../secure-element.js";
import type { ExchangeWatch } from "../watched-channel.js";
import { amountStatus, askForBytes, type BytesCommand, endAudit } from "./auditing.js";
import { CardSlot, type OpenCard, pinTriesLeftOf } from "./card-slot.js";
import { INS } from "./instructions.js";
import { LastInvoice } from "./last-invoice.js";
import { PkiApplet } from "./pki-applet.js";
import { signInvoice, verifyPin } from "./selling.js";

const NO_OWN_PIN: NoKey = { kind: "no-key", reason: "the card's PIN was not entered since it was inserted" };

export class ApduSecureElement extends CardSlot implements SecureElement {
  private readonly lastInvoice = new LastInvoice();
  /**
   * The PIN that the card has accepted, kept in memory only. The service verifies the PIN again after another applet
   * was selected, and forgets the PIN when the card leaves or resets. A private name keeps the PIN out of a log of this
   * object.
   */
  #kept: { readonly uid: string; readonly pin: string } | undefined;

  /**
   * Number of attempts of the PKI applet's PIN after a right PIN. The service keeps the number so that it asks for the
   * number only once: a sale may have to wait while the service uses the PKI applet. @see PkiApplet.select
   */
  private fullKeyAttempts: number | undefined;

  /** The last invoice that the card did not sign, as far as its answer said. */
  private unsigned: { readonly card: OpenCard; readonly header: Uint8Array } | undefined;

  constructor(reader: CardReader, watch?: ExchangeWatch) {
    super(reader, watch);
    this.on("left", () => {
      this.#kept = undefined;
      this.fullKeyAttempts = undefined;
      this.lastInvoice.forget();
    });
  }

  verifyPin(pin: string, by?: Caller): Promise<PinOutcome> {
    return this.onCard<PinOutcome>(this.openUid, by, async (card) => {
      // Forget the PIN first, so that a PIN whose answer is lost is not sent a second time.
      this.#kept = undefined;
      try {
        const verified = await verifyPin(this, card, pin);
        if (verified.kind === "verified") this.#kept = { uid: card.identity.uid, pin };
        return verified;
      } catch (error) {
        if (!(error instanceof CardError && error.sent)) throw error;
        await this.lost(error);
        return { kind: this.notReached().kind, reason: "the card gave no answer to the PIN", unclear: true };
      }
    });
  }

  protected override async restorePin(card: OpenCard): Promise<boolean> {
    const kept = this.#kept;
    // Forget the PIN first: if the card refuses the PIN by now, the refusal costs one attempt, not two.
    this.#kept = undefined;
    if (kept?.uid !== card.identity.uid || card.pin === "locked") return false;
    const { kind: outcome } = await verifyPin(this, card, kept.pin);
    if (outcome === "verified") this.#kept = kept;
    return outcome === "verified";
  }

  keyCertificate(uid: string): Promise<KeyCertificateOutcome> {
    return this.withKey<KeyCertificateOutcome>(uid, (pki) => pki.certificate());
  }

  verifyKeyPin(uid: string, pin?: string): Promise<KeyPinOutcome> {
    return this.withKey<KeyPinOutcome>(uid, (pki) => this.verifyKey(pki, pin, pin !== undefined));
  }

  signWithKey(uid: string, pin: string | undefined, digestInfo: Uint8Array): Promise<KeySignatureOutcome> {
    return this.withKey<KeySignatureOutcome>(uid, async (pki) => {
      const verified = await this.verifyKey(pki, pin, false);
      return verified.kind === "verified" ? pki.sign(digestInfo) : verified;
    });
  }

  private async verifyKey(pki: PkiApplet, pin: string | undefined, askedFor: boolean) {
    const used = pin ?? this.#kept?.pin;
    return used === undefined ? NO_OWN_PIN : pki.verify(used, askedFor);
  }

  sign(uid: string, request: SignRequest, by?: Caller): Promise<SignOutcome> {
    return this.onCard<SignOutcome>(uid, by, async (card) => {
      const outcome = await signInvoice(this, card, request);
      this.unsigned = outcome.kind === "signed" ? undefined : { card, header: request.header };
      return outcome;
    });
  }

  async lastSigned(uid: string, by?: Caller): Promise<LastSignedOutcome> {
    const ask = () =>
      this.onCard<LastSignedOutcome>(uid, by, async (card) => {
        const outcome = await this.lastInvoice.ask(card.session, () => this.reselect(card));
        if (outcome.kind === "pin-required" && card.pin !== "locked") this.setPin(card, "required");
        if (outcome.kind === "signed") this.signedAfterAll(card, outcome.signature);
        return outcome;
      });
    const first = await ask();
    if (first.kind !== "odd" || !this.lastInvoice.needsConnection) return first;
    await this.disconnect(first.reason);
    return ask();
  }

  /** Takes back what a refusal said about the card, if the card has signed the sale that it refused. */
  private signedAfterAll(card: OpenCard, { header }: CardSignature): void {
    const { unsigned } = this;
    if (unsigned?.card !== card || !Buffer.from(unsigned.header).equals(header)) return;
    this.unsigned = undefined;
    this.setPin(card, "verified");
    this.setRefusal(card, undefined);
  }

  amountStatus(uid?: string, by?: Caller): Promise<AmountStatusOutcome> {
    return this.onCard<AmountStatusOutcome>(uid, by, amountStatus);
  }

  pinTriesLeft(by?: Caller): Promise<TriesLeftOutcome> {
    return this.onCard<TriesLeftOutcome>(undefined, by, async (card) => {
      const pinTriesLeft = await pinTriesLeftOf(card);
      if (pinTriesLeft === 0) this.setPin(card, "locked");
      return pinTriesLeft === undefined ? { kind: "no-command" } : { kind: "ok", pinTriesLeft };
    });
  }

  taxAuthorityKey(): Promise<BytesOutcome> {
    return this.bytes({ name: "Export tax authority key", ins: INS.taxAuthorityKey });
  }

  startAudit(): Promise<BytesOutcome> {
    return this.bytes({ name: "Start audit", ins: INS.startAudit });
  }

  directive(directive: Uint8Array, uid?: string): Promise<BytesOutcome> {
    return this.bytes({ name: "Directive", ins: INS.directive, data: directive }, uid);
  }

  endAudit(proof: Uint8Array, uid?: string): Promise<EndAuditOutcome> {
    return this.onCard<EndAuditOutcome>(uid, undefined, (card) => endAudit(this, card, proof));
  }

  /** Runs a task on the PKI applet, then ends its PIN session and selects the secure element applet again. */
  private withKey<T>(uid: string, task: (pki: PkiApplet) => Promise<T>): Promise<T | NoKey | NotReached> {
    return this.onCard<T | NoKey>(uid, undefined, async (card) => {
      const pki = await PkiApplet.select(card.session, this.fullKeyAttempts);
      const outcome: T | NoKey = pki ? await task(pki) : { kind: "no-key", reason: "the card has no PKI applet" };
      this.fullKeyAttempts = pki?.full;
      try {
        await pki?.endPin();
        await this.reselect(card);
      } catch (error) {
        if (!(error instanceof CardError)) throw error;
        // Do not throw the error: the task would run again, and send a refused PIN a second time.
        await this.lost(error);
      }
      return outcome;
    });
  }

  private bytes(command: BytesCommand, uid?: string): Promise<BytesOutcome> {
    return this.onCard<BytesOutcome>(uid, undefined, (card) => askForBytes(this, card, command));
  }
}
