/**
 * One sale in three steps: `begin` ends with its intent on the disk, `sign` with the card's signature, `store` with its
 * receipt on the disk. The protocol decides which step is next, and what happens if a step fails.
 */
import { totalAmountOf } from "../fiscal/invoice.js";
import type { Amounts } from "../fiscal/limit.js";
import { categoryTaxes } from "../fiscal/tax.js";
import { encodeIntent, headerOf, type Intent } from "../ledger/intent.js";
import { type Change, type Entry, type LastingRefusal, LedgerError } from "../ledger/ledger.js";
import type { Caller, CardIdentity } from "../secure-element/secure-element.js";
import { hex, signatureOf } from "./card-answer.js";
import { FiscalError } from "./fiscal-error.js";
import { packagesFull, type ReadyState, requireCard, requirePin, requireReadyToSign } from "./gates.js";
import { type Circumstances, intentOf, type WaitingSale } from "./make-intent.js";
import { oldCardToProve, oldCardUnproven } from "./old-card.js";
import type { FiscalizerParts } from "./parts.js";
import type { Effect, Event, OpenIntent } from "./protocol/state.js";
import { isCertain, refusalError } from "./refusals.js";
import { changesOf, requireIntent, withoutKnownChanges } from "./writes.js";

/** An intent, and in hexadecimal the 57 bytes that the card is to sign. */
interface Prepared {
  readonly intent: Intent;
  readonly header: string;
}

type SaleStep<K extends Effect["kind"]> = Omit<Extract<Effect, { kind: K }>, "kind">;

export class SaleSteps {
  /** The card of the last exchange. Kept because the card may be gone when its answer is written. */
  identity: CardIdentity | undefined;

  constructor(private readonly parts: FiscalizerParts) {}

  /**
   * Begins a sale: checks card and PIN, whether card and ledger were compared, the RequestId, rates and date, and the
   * limit of unsent sales; then writes the intent.
   * @throws FiscalError if the card, the PIN, the rates or the invoice do not allow the sale; LedgerError if the
   * RequestId cannot be looked up
   */
  async begin({ sale, on, inTurn, amounts }: SaleStep<"begin">, by: Caller | undefined): Promise<Event> {
    const state = await requireCard(this.parts.secureElement, by);
    requirePin(state);
    const { identity, session } = state;
    const { uid } = identity;
    this.identity = identity;
    // A sale waits for one comparison only, because a card may begin another session at each comparison.
    if (!on || (!inTurn && (on.uid !== uid || on.session !== session))) return { kind: "to-compare", uid, session };
    if (on.uid !== uid) throw FiscalError.of("1300", "", `${on.uid} is no longer in the reader`);
    // A repeat gets its answer even if no sale may begin now.
    const known = await this.lookUp({ sale });
    if (known.entry) return known;
    try {
      return await this.writeIntent(sale.posted, state, amounts, by);
    } catch (error) {
      const why = this.parts.health.note(error);
      if (why instanceof LedgerError) return { kind: "intent-failed", why };
      throw why;
    }
  }

  private async writeIntent(
    sale: WaitingSale,
    card: ReadyState,
    amounts: boolean,
    by: Caller | undefined,
  ): Promise<Event> {
    const { ledger, health } = this.parts;
    const { damage } = health;
    if (damage) throw damage;
    const environment = requireReadyToSign(card, this.parts);
    await this.requireRoom(card.identity);
    const stored = await this.referred(sale);
    const before = amounts ? await this.amounts(card.identity.uid, by) : undefined;
    const prepared = this.prepared(sale, { identity: card.identity, environment, stored: () => stored }, before);
    const [id] = await ledger.commit([changeOfIntent(sale, prepared)]);
    if (id === undefined) throw new Error("the ledger gave the intent no id");
    return { kind: "intent-written", open: openIntent(id, sale.requestId, prepared) };
  }

  /** Signs an intent that is on the disk. */
  async sign({ open, uid }: SaleStep<"sign">, by: Caller | undefined): Promise<Event> {
    const header = Buffer.from(open.header, "hex");
    const request = { header, categories: categoryTaxes(requireIntent(open).taxItems) };
    const outcome = await this.parts.secureElement.sign(uid, request, by);
    switch (outcome.kind) {
      case "signed": {
        // The gates have read this card's certificate, which verifies the signature.
        const { identity } = this;
        if (identity?.uid !== uid) throw new Error(`${uid} was not asked for its certificate`);
        return { kind: "signed", signature: signatureOf(outcome.signature, identity.publicKey) };
      }
      case "unknown":
        return { kind: "unknown", reason: outcome.reason };
      case "applet-lost":
        return { kind: "applet-lost" };
      default:
        if (outcome.kind === "disabled" || outcome.kind === "counter-at-end") await this.keepRefusal(uid, outcome.kind);
        return {
          kind: "not-signed",
          why: refusalError(outcome),
          byCard: !isCertain(outcome),
          unsure: outcome.kind === "refused",
        };
    }
  }

  /** Keeps a refusal for later sessions of the card. A store that fails now is reported by the next write. */
  private async keepRefusal(uid: string, why: LastingRefusal): Promise<void> {
    const { ledger, clock } = this.parts;
    await ledger.commit([{ kind: "refused", uid, why, at: clock.now() }]).catch(() => undefined);
  }

  /** Writes what the protocol has decided, and in the same commit the intent of the next sale if it may begin. */
  async store({ writes, ahead }: SaleStep<"write">): Promise<Event> {
    const { ledger, health, environment, clock } = this.parts;
    const changes = await withoutKnownChanges(
      ledger,
      writes.flatMap((write) => changesOf(write, this.identity, environment, clock)),
    );
    const complete = changes.find((change) => change.kind === "complete");
    const intent = writes.find((write) => write.kind === "complete")?.intent;
    const sold = complete && { id: complete.id, answer: complete.completion.answer, intent };
    const next = ahead && !health.damage ? await this.preparedAhead(ahead) : undefined;
    if (!ahead || !next) {
      await ledger.commit(changes);
      return { kind: "written", sold };
    }
    const { posted } = ahead.sale;
    const id = await this.committed([...changes, changeOfIntent(posted, next)], changes);
    const open = id === undefined ? undefined : openIntent(id, posted.requestId, next);
    return { kind: "written", sold, ahead: open };
  }

  /** Looks up a sale's RequestId in the ledger. @throws LedgerError */
  async lookUp({ sale: { requestId } }: SaleStep<"look-up">): Promise<Extract<Event, { kind: "looked-up" }>> {
    const entry = requestId === undefined ? undefined : await this.parts.ledger.byRequestId(requestId);
    return { kind: "looked-up", entry };
  }

  /** Makes the intent of the next sale; undefined if that sale must get its answer or its refusal in its turn. */
  private async preparedAhead(ahead: NonNullable<SaleStep<"write">["ahead"]>): Promise<Prepared | undefined> {
    const { ledger, secureElement, audits, unsentLimit } = this.parts;
    const { sale, uid, session } = ahead;
    const { requestId, invoice } = sale.posted;
    // This sale may refer to the sale before it, which is not stored yet.
    if (invoice.referentDocumentNumber !== undefined) return undefined;
    try {
      const { most } = unsentLimit;
      if (most !== undefined && (await audits.unsent(uid)) + 1 >= most) return undefined;
      if (requestId !== undefined && (await ledger.byRequestId(requestId))) return undefined;
      // Do not look for a card now, because the answer of the sale before must be stored first.
      const { state } = secureElement;
      if (state.kind !== "ready" || state.identity.uid !== uid || state.session !== session) return undefined;
      const environment = requireReadyToSign(state, this.parts);
      return this.prepared(sale.posted, { identity: state.identity, environment, stored: () => undefined });
    } catch {
      return undefined;
    }
  }

  private prepared(sale: WaitingSale, circumstances: Omit<Circumstances, "now">, before?: Amounts): Prepared {
    const { clock, settings } = this.parts;
    const made = intentOf(sale, { ...circumstances, now: clock.now() }, settings);
    const intent = before ? { ...made, before } : made;
    return { intent, header: hex(headerOf(intent)) };
  }

  /** @throws FiscalError 1100 if too many sales, or sales of an old card, wait for a proof of audit; LedgerError */
  private async requireRoom(identity: CardIdentity): Promise<void> {
    const { audits, settings, unsentLimit } = this.parts;
    const { most } = unsentLimit;
    if (most !== undefined) {
      const unsent = await audits.unsent(identity.uid);
      if (unsent >= most) throw packagesFull(unsent);
    }
    const oldCard = settings.newCard === "waits" ? await oldCardToProve(audits, identity, "waits") : undefined;
    if (oldCard) throw oldCardUnproven(oldCard);
  }

  /** Reads sum and limit of a card that cannot repeat its last invoice. @returns undefined if it does not answer */
  async amounts(uid: string, by: Caller | undefined): Promise<Amounts | undefined> {
    try {
      const answer = await this.parts.secureElement.amountStatus(uid, by);
      return answer.kind === "ok" ? { sum: answer.sum, limit: answer.limit } : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Returns the entry that a Copy or a Refund refers to, unless it is damaged. If two receipts have the number, because a
   * counter went back, returns neither of them.
   */
  private async referred({ invoice }: WaitingSale): Promise<Entry | undefined> {
    const { referentDocumentNumber } = invoice;
    if (!referentDocumentNumber) return undefined;
    const [entry, ...others] = await this.parts.ledger.byNumber(referentDocumentNumber.toUpperCase());
    return others.length === 0 && entry?.intact ? entry : undefined;
  }

  /**
   * Writes an answer together with the next intent. If that fails, writes only the answer, because an intent that
   * cannot be written must not prevent the answer.
   * @returns id of the intent; undefined if only the required changes were written
   * @throws LedgerError if nothing could be written
   */
  private async committed(all: readonly Change[], must: readonly Change[]): Promise<number | undefined> {
    const { ledger } = this.parts;
    try {
      return (await ledger.commit(all))[0];
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      await ledger.commit(must);
      return undefined;
    }
  }
}

function changeOfIntent({ requestId, requestHash }: WaitingSale, { intent }: Prepared): Change {
  const { uid } = intent;
  return { kind: "intent", intent: { requestId: requestId ?? null, requestHash, uid, intent: encodeIntent(intent) } };
}

/** Returns what the protocol knows of an intent in the ledger. */
export function openIntent(id: number, requestId: string | undefined, { intent, header }: Prepared): OpenIntent {
  const { before, invoice } = intent;
  const kind = `${invoice.invoiceType} ${invoice.transactionType}`;
  return { id, requestId, intent, before, kind, amount: totalAmountOf(invoice.items), header };
}
