/**
 * Prepares a sale before the card signs it: passes the gates, checks the limit of unsent sales, and makes the intent.
 */
import type { Intent } from "../ledger/intent.js";
import type { Entry } from "../ledger/ledger.js";
import type { Caller, CardIdentity } from "../secure-element/secure-element.js";
import { FiscalError } from "./fiscal-error.js";
import { packagesFull, requireReadyToSign } from "./gates.js";
import { type Circumstances, intentOf, type SaleRequest } from "./make-intent.js";
import { oldCardToProve, oldCardUnproven } from "./old-card.js";
import type { FiscalizerParts } from "./parts.js";
import type { Amounts } from "./protocol/state.js";

/** A sale that waits or is at work. */
export interface Waiting extends SaleRequest {
  readonly requestId: string | undefined;
  readonly requestHash: string;
  readonly by: Caller | undefined;
  /** The ledger's entry with this RequestId; undefined before the look-up, or if there is none. */
  entry?: Entry | undefined;
}

export type PreparationSources = Pick<
  FiscalizerParts,
  "secureElement" | "ledger" | "audits" | "environment" | "unsentLimit" | "settings" | "clock"
>;

export class SalePreparation {
  /** @param reached gets the identity of each card that passed the gates */
  constructor(
    private readonly sources: PreparationSources,
    private readonly reached: (identity: CardIdentity) => void,
  ) {}

  /**
   * Checks whether a sale may start.
   * @throws FiscalError if a gate refuses, and 1100 if too many sales, or sales of an old card, wait for a proof of
   * audit; LedgerError
   */
  async pass(by: Caller | undefined): Promise<{ uid: string; session: number }> {
    const { identity, session } = await this.ready(by);
    const { uid } = identity;
    const { audits, settings } = this.sources;
    const { most } = this.sources.unsentLimit;
    if (most !== undefined) {
      const unsent = await audits.unsent(uid);
      if (unsent >= most) throw packagesFull(unsent);
    }
    const oldCard = await oldCardToProve(audits, identity, settings.newCard);
    if (oldCard) throw oldCardUnproven(oldCard);
    return { uid, session };
  }

  /**
   * Makes the intent of a sale.
   * @param before amounts of a card that cannot repeat its last invoice
   * @throws FiscalError, LedgerError
   */
  async intentFor(waiting: Waiting, uid: string, before: Amounts | undefined): Promise<Intent> {
    const { identity, environment } = await this.ready(waiting.by);
    if (identity.uid !== uid) throw FiscalError.of("1300", "", `${uid} is no longer in the reader`);
    const stored = await this.referred(waiting);
    const made = this.make(waiting, { identity, environment, stored: () => stored });
    return before ? { ...made, before } : made;
  }

  /**
   * Makes the intent of the next sale. Returns undefined if that sale must wait for its turn; the sale then gets its
   * answer or its refusal in that turn.
   */
  async intentAhead(waiting: Waiting, card: { uid: string; session: number }): Promise<Intent | undefined> {
    const { ledger, secureElement, audits } = this.sources;
    const { most } = this.sources.unsentLimit;
    const { requestId, invoice } = waiting;
    // This sale may refer to the sale before it, which is not stored yet.
    if (invoice.referentDocumentNumber !== undefined) return undefined;
    // Do not look for a card now, because the answer of the sale before must be stored first.
    if (secureElement.state.kind !== "ready") return undefined;
    try {
      if (most !== undefined && (await audits.unsent(card.uid)) + 1 >= most) return undefined;
      if (requestId !== undefined && (await ledger.byRequestId(requestId))) return undefined;
      const { identity, session, environment } = await this.ready(waiting.by);
      if (identity.uid !== card.uid || session !== card.session) return undefined;
      return this.make(waiting, { identity, environment, stored: () => undefined });
    } catch {
      return undefined;
    }
  }

  private async ready(by: Caller | undefined) {
    const { secureElement, environment, clock } = this.sources;
    const ready = await requireReadyToSign(secureElement, environment, clock, by);
    this.reached(ready.identity);
    return ready;
  }

  private make(waiting: Waiting, circumstances: Omit<Circumstances, "now">): Intent {
    const { clock, settings } = this.sources;
    return intentOf(waiting, { now: clock.now(), ...circumstances }, settings);
  }

  /**
   * Returns the entry that a Copy or a Refund refers to, unless it is damaged. If two receipts have the number, because a
   * counter went back, returns neither of them.
   */
  private async referred({ invoice }: Waiting): Promise<Entry | undefined> {
    const { ledger } = this.sources;
    const { referentDocumentNumber } = invoice;
    if (!referentDocumentNumber) return undefined;
    const [entry, ...others] = await ledger.byNumber(referentDocumentNumber.toUpperCase());
    return others.length === 0 && entry?.intact ? entry : undefined;
  }
}
