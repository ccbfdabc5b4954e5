/**
 * The sale: gates, intent on the disk, signature of the card, answer on the disk, answer to the caller.
 * One sale at a time, so that at most one signature is ever in doubt.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../clock.js";
import type { FiscalEnvironment } from "../config/environment.js";
import { totalAmountOf } from "../fiscal/invoice.js";
import { categoryTaxes } from "../fiscal/tax.js";
import { LedgerError } from "../ledger/ledger.js";
import { Mutex } from "../mutex.js";
import type { CardSignature, SecureElement, SignRequest } from "../secure-element/secure-element.js";
import type { InvoiceStore, StoredInvoice } from "../store/invoice-store.js";
import { FiscalError } from "./fiscal-error.js";
import { requireReadyToSign } from "./gates.js";
import { encodeIntent, type Intent, usesTodaysRates } from "./intent.js";
import { type Asked, type IntentOptions, intentOf } from "./make-intent.js";
import { completionOf, settleOpenIntents } from "./recovery.js";
import { refusalError } from "./refusals.js";
import { type Fate, type StoreHealth, storeRefusal } from "./store-health.js";

export interface Sale extends Asked {
  /** At most one invoice is ever signed under one id. */
  readonly requestId: string | undefined;
}

export interface Fiscalized {
  /** JSON of the answer, without the QR code. */
  readonly answer: string;
  /** The stored answer of an earlier request with the same id. */
  readonly replayed: boolean;
  readonly omitQRCode: boolean;
  /** Whether a Copy or a Refund was taxed by today's rates for want of the original's time. */
  readonly todaysRates: boolean;
}

export class Fiscalizer {
  private readonly mutex = new Mutex();
  /** Signed, and not stored because the disk was full: kept here until it can be. */
  private unstored: { readonly id: number; readonly store: () => void }[] = [];

  constructor(
    private readonly secureElement: SecureElement,
    private readonly store: InvoiceStore,
    private readonly clock: Clock,
    private readonly environment: () => FiscalEnvironment | undefined,
    private readonly options: IntentOptions,
    private readonly health: StoreHealth,
  ) {}

  /** Everything that must be true before the body is looked at. @throws FiscalError */
  async gate(): Promise<FiscalEnvironment> {
    return (await requireReadyToSign(this.secureElement, this.environment(), this.clock.now())).environment;
  }

  /** The environment in force, or undefined where the service is not configured. */
  currentEnvironment(): FiscalEnvironment | undefined {
    return this.environment();
  }

  /** Whoever repeats what has been signed does not wait for the sales of others. @throws FiscalError */
  async fiscalize(sale: Sale): Promise<Fiscalized> {
    const requestHash = hashOf(sale);
    const earlier = this.earlier(sale);
    return earlier?.state === "complete" ? replay(earlier, requestHash) : this.fiscalizeInTurn(sale, requestHash);
  }

  private earlier({ requestId }: Pick<Sale, "requestId">): StoredInvoice | undefined {
    return requestId === undefined ? undefined : this.store.byRequestId(requestId);
  }

  private fiscalizeInTurn(sale: Sale, requestHash: string): Promise<Fiscalized> {
    return this.inTurn(sale.requestId, async (entry) => {
      const { identity, environment } = await requireReadyToSign(
        this.secureElement,
        this.environment(),
        this.clock.now(),
      );
      await this.settle();
      const earlier = this.earlier(sale);
      if (earlier) return replay(earlier, requestHash);
      const stored = (number: string) => this.store.byNumber(number);
      const intent = intentOf(sale, { identity, environment, stored, now: this.clock.now() }, this.options);
      const json = encodeIntent(intent);
      const { requestId = null } = sale;
      entry.id = this.store.begin({ requestId, requestHash, uid: identity.uid, intent: json });
      const answer = await this.sign(entry.id, intent);
      const omitQRCode = sale.invoice.options.omitQRCodeGen;
      return { answer, replayed: false, omitQRCode, todaysRates: intent.todaysRates === true };
    });
  }

  /**
   * The stored answer of a RequestId, once what was in doubt is settled as far as the card tells.
   * @throws FiscalError
   */
  async find(requestId: string): Promise<StoredInvoice | undefined> {
    const found = this.store.byRequestId(requestId);
    if (found?.state === "complete") return found;
    // One that is not there may be waiting for its turn.
    return this.inTurn(requestId, async () => {
      if (this.store.byRequestId(requestId)?.state === "intent") await this.settle();
      return this.store.byRequestId(requestId);
    });
  }

  /** Whether a sale, or somebody who asks for one in doubt, is at work or waits. */
  get busy(): boolean {
    return this.mutex.busy;
  }

  /** Completes, after a crash or a lost card, what the card has signed and the store does not have. */
  recover(): Promise<void> {
    const settled = this.mutex.run(() => this.settle());
    return settled.catch((error: unknown) => {
      throw this.health.note(error);
    });
  }

  /** One at a time. @throws FiscalError in words where the store refuses what is written */
  private inTurn<T>(requestId: string | undefined, task: (entry: { id?: number }) => Promise<T>): Promise<T> {
    return this.mutex.run(async () => {
      const entry: { id?: number } = {};
      try {
        const earlier = this.earlier({ requestId });
        if (earlier) entry.id = earlier.id;
        return await task(entry);
      } catch (error) {
        const inWords = this.health.note(error);
        if (!(inWords instanceof LedgerError)) throw inWords;
        throw storeRefusal(inWords, this.fateOf(entry.id), requestId !== undefined);
      }
    });
  }

  /** @param id of the sale in the store, undefined where it never got there */
  private fateOf(id: number | undefined): Fate {
    if (id === undefined) return "not-signed";
    return this.unstored.some((unstored) => unstored.id === id) ? "signed" : "unknown";
  }

  /** Stores what was signed while the disk was full. Throws what the store says where it still is. */
  flush(): void {
    while (this.unstored[0]) {
      this.unstored[0].store();
      this.unstored.shift();
    }
  }

  private async settle(): Promise<void> {
    this.flush();
    const { state } = this.secureElement;
    if (state.state === "ready") await settleOpenIntents(this.secureElement, this.store, state.identity.uid);
  }

  private async sign(id: number, intent: Intent): Promise<string> {
    const outcome = await this.secureElement.sign(intent.uid, signRequestOf(intent));
    if (outcome.outcome === "signed") return this.complete(id, intent, outcome.signature);
    if (outcome.outcome !== "unknown") {
      this.abandon(id);
      throw refusalError(outcome);
    }
    // The card may have counted the invoice. If it can be asked now, the sale may still end well.
    await this.secureElement.refresh();
    await this.settle();
    const last = this.store.last(intent.uid);
    if (last?.id === id) return storedAnswer(last);
    const inDoubt = this.store.openIntents(intent.uid).some((open) => open.id === id);
    const advice = inDoubt
      ? "whether the card has signed is settled when it answers again; repeat with the same RequestId"
      : "nothing was signed";
    const message = `The card did not finish: ${outcome.reason}; ${advice}`;
    throw FiscalError.of(this.secureElement.state.state === "no-card" ? "1300" : "2220", "", message);
  }

  /** Where the store refuses it, the sale stays open until the card is asked again. The POS gets the card's reason. */
  private abandon(id: number): void {
    try {
      this.store.abandon(id);
    } catch (error) {
      this.health.note(error);
    }
  }

  private complete(id: number, intent: Intent, signature: CardSignature): string {
    // Invoices in doubt that the card cannot tell about are decided by its counter.
    const others = this.store
      .openIntents(intent.uid)
      .filter((open) => open.id !== id)
      .map((open) => open.id);
    const expected = this.store.last(intent.uid)?.totalCounter;
    const noGap = expected !== undefined && expected !== null && signature.totalCounter === expected + 1;
    const completion = completionOf(intent, signature);
    const store = () => this.store.complete(id, completion, noGap ? { abandon: others } : { lose: others });
    try {
      store();
    } catch (error) {
      // Not every card can tell its last invoice again; the till gets 1999 and repeats its RequestId.
      this.unstored.push({ id, store });
      throw error;
    }
    return completion.answer;
  }
}

function signRequestOf(intent: Intent): SignRequest {
  const { invoice, taxpayer, sdcTime } = intent;
  return {
    time: sdcTime,
    tin: taxpayer.tin,
    buyerId: invoice.buyerId ?? "",
    invoiceType: invoice.invoiceType,
    transactionType: invoice.transactionType,
    totalAmount: totalAmountOf(invoice.items),
    categories: categoryTaxes(intent.taxItems),
  };
}

/** Same id and same normalised request: a repeat. */
function hashOf({ invoice }: Sale): string {
  const text = JSON.stringify(invoice, (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    // A till that writes its invoice again may write its fields in another order.
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  });
  return createHash("sha256").update(text).digest("hex");
}

/** @throws FiscalError where the body differs or the outcome is not known */
function replay(stored: StoredInvoice, requestHash: string): Fiscalized {
  if (stored.requestHash !== requestHash) {
    throw FiscalError.of("2805", "RequestId", "This RequestId was used for another invoice");
  }
  return {
    answer: storedAnswer(stored),
    replayed: true,
    omitQRCode: omitsQRCode(stored),
    todaysRates: usesTodaysRates(stored.intent),
  };
}

/** The answer of an invoice that is complete. @throws FiscalError 2220 where it is in doubt or lost */
export function storedAnswer(stored: StoredInvoice): string {
  if (stored.answer !== null) return stored.answer;
  const message =
    stored.state === "lost"
      ? "The card may have counted this invoice, but its signature was lost and the card cannot tell it"
      : "Whether the card has signed this invoice is not known yet: verify the PIN and ask again; where the card cannot tell its last invoice, the next sale decides";
  throw FiscalError.of("2220", "RequestId", message);
}

export function omitsQRCode(stored: StoredInvoice): boolean {
  const { invoice } = JSON.parse(stored.intent) as { invoice: { options: { omitQRCodeGen: boolean } } };
  return invoice.options.omitQRCodeGen;
}
