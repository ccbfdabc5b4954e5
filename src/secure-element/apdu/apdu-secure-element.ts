/**
 * The only APDU client, for every card, real or emulated (docs/architecture.md, "The one idea: a card is a card").
 * Commands run one at a time on the card that {@link CardSlot} has open.
 */
import type { CardReader } from "../card-reader.js";
import type {
  AmountStatusOutcome,
  BytesOutcome,
  Caller,
  EndAuditOutcome,
  LastSignedOutcome,
  PinOutcome,
  SecureElement,
  SignOutcome,
  SignRequest,
  TriesLeftOutcome,
} from "../secure-element.js";
import type { ExchangeWatch } from "../watched-channel.js";
import { amountStatus, askForBytes, type BytesCommand, endAudit } from "./auditing.js";
import { CardSlot, pinTriesLeftOf } from "./card-slot.js";
import { INS } from "./instructions.js";
import { LastInvoice } from "./last-invoice.js";
import { signInvoice, verifyPin } from "./selling.js";

export class ApduSecureElement extends CardSlot implements SecureElement {
  private readonly lastInvoice = new LastInvoice();

  /** @param watch sees every exchange */
  constructor(reader: CardReader, watch?: ExchangeWatch) {
    super(reader, watch);
    this.on("left", () => this.lastInvoice.forget());
  }

  verifyPin(pin: string, by?: Caller): Promise<PinOutcome> {
    return this.onCard<PinOutcome>(this.openUid, by, (card) => verifyPin(this, card, pin));
  }

  sign(uid: string, request: SignRequest, by?: Caller): Promise<SignOutcome> {
    return this.onCard<SignOutcome>(uid, by, (card) => signInvoice(this, card, request));
  }

  async lastSigned(uid: string, by?: Caller): Promise<LastSignedOutcome> {
    const ask = () =>
      this.onCard<LastSignedOutcome>(uid, by, async (card) => {
        const outcome = await this.lastInvoice.ask(card.session);
        if (outcome.outcome === "pin-required") this.setPin(card, "required");
        return outcome;
      });
    const first = await ask();
    if (first.outcome !== "odd" || !this.lastInvoice.needsConnection) return first;
    await this.disconnect(first.reason);
    return ask();
  }

  amountStatus(uid?: string, by?: Caller): Promise<AmountStatusOutcome> {
    return this.onCard<AmountStatusOutcome>(uid, by, amountStatus);
  }

  pinTriesLeft(by?: Caller): Promise<TriesLeftOutcome> {
    return this.onCard<TriesLeftOutcome>(undefined, by, async (card) => {
      const pinTriesLeft = await pinTriesLeftOf(card);
      if (pinTriesLeft === 0) this.setPin(card, "locked");
      return pinTriesLeft === undefined ? { outcome: "no-command" } : { outcome: "ok", pinTriesLeft };
    });
  }

  taxAuthorityKey(): Promise<BytesOutcome> {
    return this.bytes({ name: "Export tax authority key", ins: INS.EXPORT_TAX_AUTHORITY_KEY });
  }

  exportInternalData(): Promise<BytesOutcome> {
    return this.bytes({ name: "Export internal data", ins: INS.EXPORT_INTERNAL_DATA });
  }

  startAudit(): Promise<BytesOutcome> {
    return this.bytes({ name: "Start audit", ins: INS.START_AUDIT });
  }

  directive(directive: Uint8Array, uid?: string): Promise<BytesOutcome> {
    return this.bytes({ name: "Directive", ins: INS.DIRECTIVE, data: directive }, uid);
  }

  endAudit(proof: Uint8Array): Promise<EndAuditOutcome> {
    return this.onCard<EndAuditOutcome>(undefined, undefined, (card) => endAudit(this, card, proof));
  }

  private bytes(command: BytesCommand, uid?: string): Promise<BytesOutcome> {
    return this.onCard<BytesOutcome>(uid, undefined, (card) => askForBytes(this, card, command));
  }
}
