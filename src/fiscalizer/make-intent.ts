/** Makes an intent from an invoice with the current tax rates, and refuses an invoice that does not fit these rates. */

import type { EpochMs } from "../base/epoch-ms.js";
import type { Settings } from "../config/settings.js";
import { qrFormatOf } from "../fiscal/answer-form.js";
import { receiptFormOf } from "../fiscal/countries.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { type Invoice, type ReceiptKind, type SoldInvoice, type Taxpayer, totalAmountOf } from "../fiscal/invoice.js";
import { usualHeader } from "../fiscal/journal/journal.js";
import type { ReceiptLanguage } from "../fiscal/language.js";
import { lookAlike } from "../fiscal/look-alikes.js";
import { MAX_CARD_AMOUNT } from "../fiscal/money.js";
import { isInRange, isTimeOf, receiptTime, type SoldTime, soldTime, TIME_RANGE } from "../fiscal/pos-time.js";
import { categoryTaxes, groupOfReceipt, labelsOf, rateGroupAt, type TaxRateGroup, taxItems } from "../fiscal/tax.js";
import { toLocalIso } from "../fiscal/zoned.js";
import type { Intent } from "../ledger/intent.js";
import type { Entry } from "../ledger/ledger.js";
import { answerIn } from "../ledger/receipt-content.js";
import type { Caller, CardIdentity } from "../secure-element/secure-element.js";
import { FiscalError, MOST_VIOLATIONS, type Sentence, type Violation } from "./fiscal-error.js";
import { noRatesNow } from "./gates.js";

export interface IntentSettings
  extends Pick<Settings, "journalHeader" | "numberForm" | "answerForm" | "requireReferentTime"> {
  readonly mrc: string;
}

/** A taxpayer for whom another card signs, such as a client of an authority's online service. */
export interface Requester {
  readonly uid: string;
  readonly taxpayer: Taxpayer;
}

export interface PostedSale {
  /** Id that the POS gave the sale. The service signs at most one invoice under one RequestId. */
  readonly requestId: string | undefined;
  readonly invoice: Invoice;
  readonly language: ReceiptLanguage;
  /** The beginning of the verification URL; undefined for the one of the environment. */
  readonly root: string | undefined;
  /** The taxpayer who asks for the receipt; undefined for the taxpayer of the card that signs. */
  readonly requester?: Requester | undefined;
}

export interface WaitingSale extends PostedSale {
  readonly requestHash: string;
  readonly by: Caller | undefined;
}

/** Values that an intent needs besides the request and the settings. */
export interface Circumstances {
  readonly identity: Pick<CardIdentity, "uid" | "taxpayer">;
  readonly environment: Omit<FiscalEnvironment, "parameters"> & {
    readonly parameters: { readonly country: string; readonly endpoints: { readonly root: string } };
  };
  /** Returns the ledger's entry of an invoice number. */
  readonly stored: (number: string) => Pick<Entry, "answer" | "state"> | undefined;
  readonly now: EpochMs;
}

/** @throws FiscalError 2310, 2400, 2800 or 2804 */
export function intentOf(
  request: Omit<PostedSale, "requestId">,
  { identity, environment, stored, now }: Circumstances,
  settings: IntentSettings,
): Intent {
  const { invoice, requester } = request;
  if (settings.requireReferentTime && refers(invoice) && invoice.referentDocumentDT === undefined) {
    throw FiscalError.of("2800", "referentDocumentDT", "referentDocumentDT is required for Copy and Refund");
  }
  const sold = soldInvoice(invoice, environment.timeZone);
  const referent = referentOf(invoice, stored, environment.timeZone);
  requirePrintable(sold);
  if (refers(invoice) && !referent) checkReferentTime(sold, environment.timeZone, now);
  const referred = refers(invoice) ? (referent?.instant ?? sold.referentDocumentDT?.instant) : undefined;
  const group = rateGroup(environment, { referent, referred, now });
  const violations = [...labelViolations(invoice, group), ...amountViolations(invoice)];
  const [first, ...rest] = violations;
  if (first) throw new FiscalError([first, ...rest]);
  const taxes = taxItems(invoice.items, group);
  // Check the taxes too: negative items or a tax per quantity can give taxes that do not fit seven bytes.
  if (categoryTaxes(taxes).some(({ amount }) => amount < 0n || amount > MAX_CARD_AMOUNT)) {
    throw FiscalError.of("2804", "items", "The tax of one category is negative or too large for the card");
  }
  const form = receiptFormOf(environment.parameters.country, settings.numberForm);
  return {
    sdcTime: now,
    uid: identity.uid,
    ...(requester ? { requestedBy: requester.uid } : {}),
    taxpayer: requester?.taxpayer ?? identity.taxpayer,
    invoice: sold,
    taxItems: taxes,
    taxGroupRevision: group.groupId,
    language: request.language,
    timeZone: environment.timeZone,
    journalHeader: settings.journalHeader ?? usualHeader(request.language, form),
    form,
    qrFormat: qrFormatOf(settings.answerForm),
    root: request.root ?? environment.parameters.endpoints.root,
    mrc: settings.mrc,
    ...(refers(invoice) && referred === undefined ? { todaysRates: true } : {}),
  };
}

/** A stored receipt to which a Copy or a Refund refers. */
interface Referent extends SoldTime {
  /** Group of the rates of this receipt; undefined if the store never knew them. */
  readonly taxGroupRevision: number | undefined;
}

function refers({ invoiceType, transactionType }: ReceiptKind): boolean {
  return invoiceType === "Copy" || transactionType === "Refund";
}

/** The stored receipt to which a Copy or Refund refers; undefined also if the POS sent another time than its own. */
function referentOf(invoice: Invoice, stored: Circumstances["stored"], timeZone: string): Referent | undefined {
  const { referentDocumentNumber, referentDocumentDT: time } = invoice;
  if (!refers(invoice) || !referentDocumentNumber) return undefined;
  const entry = stored(referentDocumentNumber.toUpperCase());
  const answer = entry && answerIn(entry);
  if (!answer) return undefined;
  const receipt = receiptTime(answer.sdcDateTime);
  if (time !== undefined && !isTimeOf(time, receipt, timeZone)) return undefined;
  return { ...receipt, taxGroupRevision: entry.state === "adopted" ? undefined : answer.taxGroupRevision };
}

/** Settles the times of an invoice, so that a later change of the zone changes nothing. */
function soldInvoice({ dateAndTimeOfIssue, referentDocumentDT, ...invoice }: Invoice, timeZone: string): SoldInvoice {
  return {
    ...invoice,
    ...(dateAndTimeOfIssue === undefined ? {} : { dateAndTimeOfIssue: soldTime(dateAndTimeOfIssue, timeZone) }),
    ...(referentDocumentDT === undefined ? {} : { referentDocumentDT: soldTime(referentDocumentDT, timeZone) }),
  };
}

/** An offset may move a time to a day before the range. @throws FiscalError 2804 */
function requirePrintable(sold: SoldInvoice): void {
  for (const name of ["dateAndTimeOfIssue", "referentDocumentDT"] as const) {
    const printed = sold[name]?.printed;
    if (printed === undefined || isInRange(printed)) continue;
    const message = `{property} ${TIME_RANGE.message} on a clock in the shop, which shows {printed}`;
    throw FiscalError.of("2804", name, message, { ...TIME_RANGE.values, property: name, printed });
  }
}

const DAY_MS = 86_400_000;

/** Allows for local times that were sent with a wrong zone. @throws FiscalError 2804 */
function checkReferentTime({ referentDocumentDT: time }: SoldInvoice, timeZone: string, now: number): void {
  if (time === undefined || time.instant <= now + DAY_MS) return;
  const message =
    "referentDocumentDT is more than a day in the future: {sent}, but the clock says {clock}; check the clocks";
  throw FiscalError.of("2804", "referentDocumentDT", message, {
    sent: toLocalIso(time.instant, timeZone),
    clock: toLocalIso(now, timeZone),
  });
}

/**
 * Returns the rates for an invoice. A Copy or a Refund has the rates of the stored receipt, which may itself have the
 * rates of an older sale, or else the rates of the time that it refers to (protocol facts, section 5).
 * @throws FiscalError 2804 or 2400
 */
function rateGroup(
  { taxRates }: Circumstances["environment"],
  { referent, referred, now }: { referent: Referent | undefined; referred: number | undefined; now: number },
): TaxRateGroup {
  const { taxGroupRevision: id, instant = now } = referent ?? {};
  const same = id === undefined ? undefined : groupOfReceipt(taxRates, id, instant);
  if (same) return same;
  // Future rates never apply, not even if the POS's clock is ahead.
  const group = rateGroupAt(taxRates, Math.min(referred ?? now, now));
  if (group) return group;
  if (referred === undefined) throw noRatesNow();
  throw FiscalError.of("2804", "referentDocumentDT", "No tax rates were valid at referentDocumentDT");
}

/** Returns an error 2310 for each unknown label, up to the maximum number of errors in one answer. */
function labelViolations(invoice: Invoice, group: TaxRateGroup): Violation[] {
  const known = labelsOf(group);
  const violations: Violation[] = [];
  for (const [i, { labels }] of invoice.items.entries()) {
    for (const [j, label] of labels.entries()) {
      if (known.has(label)) continue;
      const property = `items[${i}].labels[${j}]`;
      violations.push({
        property,
        code: "2310",
        message: "{property}: {label} is not one of the labels {labels}{hint}",
        values: { property, label, labels: [...known.keys()].join(", "), hint: hint(label, known) },
      });
      if (violations.length === MOST_VIOLATIONS) return violations;
    }
  }
  return violations;
}

/** Returns a hint if a label of the environment looks like this label but is in the other script; otherwise "". */
function hint(label: string, known: ReadonlyMap<string, unknown>): Sentence | string {
  const difference = lookAlike(label, known.keys());
  if (!difference) return "";
  const [[script, letter], [otherScript, other]] = difference;
  return {
    message: ". It is {script}{letter}; this environment has {otherScript}{other}",
    values: { script: { message: script }, letter, otherScript: { message: otherScript }, other },
  };
}

function amountViolations(invoice: Invoice): Violation[] {
  const total = totalAmountOf(invoice.items);
  if (total >= 0n && total <= MAX_CARD_AMOUNT) return [];
  const message =
    total < 0n ? "The total of the items is negative" : "The total of the items is too large for the card";
  return [{ property: "items", code: "2804", message }];
}
