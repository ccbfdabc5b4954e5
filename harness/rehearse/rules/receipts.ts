/** Which kinds of receipt a POS issues, and how one receipt names another. */
import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../../src/fiscal/invoice.js";
import { isTimeOf, receiptTime } from "../../../src/fiscal/pos-time.js";
import { readPosTime } from "../../../src/fiscal/time.js";
import { allSeen, failed, findingOf, INSTRUCTION, MANUAL_TEST, NOT_SEEN, passed, type UntitledRule } from "../rule.js";
import { samplesOf } from "../samples.js";
import {
  isReceived,
  labelsIn,
  minorUnits,
  missingReference,
  needsOriginal,
  pairOf,
  printedInUtc,
  printedMs,
  type Sale,
  type SentInvoice,
  type SentItem,
  type Session,
} from "../session.js";
import { isCorrected, isFollowed } from "./refusals.js";

const PAIRS = INVOICE_TYPE_NAMES.flatMap((type) => TRANSACTION_TYPE_NAMES.map((kind) => `${type} ${kind}`));

const SECOND_MS = 1000;

/** Returns what is wrong with a time that is to be the original's, or undefined. */
function wrongTime({ receipt }: Sale, text: string): string | undefined {
  const [time, own] = [readPosTime(text), receiptTime(receipt.sdcDateTime)];
  if (time === undefined || !isTimeOf(time, own, "UTC")) return `referentDocumentDT ${text}`;
  return time.startsWith(own.printed)
    ? undefined
    : printedInUtc(text, Date.parse(`${own.printed}Z`), receipt, SECOND_MS);
}

/** The Refunds of these Sales up to a receipt, without those that are lost: FORB-001-LOST names them. */
const refundsOf = (originals: readonly Sale[], sale: Sale, session: Session): Sale[] =>
  session.sales.filter(
    ({ request, invoice }) =>
      request.id <= sale.request.id &&
      invoice.transactionType === "Refund" &&
      invoice.invoiceType !== "Copy" &&
      originals.some(({ receipt }) => receipt.invoiceNumber === invoice.referentDocumentNumber) &&
      (request === sale.request || isReceived(request.requestId, session)),
  );

const amountOf = (items: readonly SentItem[], name: string) => {
  const own = items.filter((item) => item.name === name);
  const total = own.reduce((sum, { totalAmount }) => sum + minorUnits(totalAmount), 0);
  return { total, quantity: own.reduce((sum, item) => sum + item.quantity, 0) };
};

/** Returns what Refunds give back beyond their original, or undefined. @param refunds at least one, the newest last */
function tooMuch(original: Sale, refunds: readonly Sale[]): string | undefined {
  const back = refunds.flatMap(({ invoice }) => invoice.items);
  const sold = original.invoice.items;
  const articleOf = ({ name, labels }: SentItem) => JSON.stringify([name, [...labels].toSorted()]);
  const strange = back.find((item) => !sold.some((other) => articleOf(other) === articleOf(item)));
  if (strange) return `${JSON.stringify(strange.name)}, ${strange.labels.join(" ")}: the original has no such item`;
  for (const { name } of sold) {
    const [all, given] = [amountOf(sold, name), amountOf(back, name)];
    // Parts of a line may each be rounded up.
    if (given.quantity > all.quantity + TINY || given.total > all.total + back.length - 1) {
      return `${JSON.stringify(name)}: the Refunds give back more than was sold`;
    }
  }
  return undefined;
}

const TINY = 1e-6;

/** Returns what a Refund, a Copy or a Sale that is one has of its original that it may not have; else undefined. */
function wrongContent(sale: Sale, original: Sale, session: Session): string | undefined {
  const { invoice } = sale;
  const { invoiceType, transactionType } = original.invoice;
  if (invoice.invoiceType === "Copy") {
    if (invoiceType !== "Copy" && transactionType !== invoice.transactionType) return `a Copy of a ${transactionType}`;
    return itemsOf(sale) === itemsOf(original) ? undefined : "other items than the original";
  }
  const before = refundsOf([original], sale, session);
  if (invoice.transactionType === "Sale") {
    const isCopy = pairOf(invoice) === "NormalSale" && pairOf(original.invoice) === "NormalSale";
    return isCopy && before.length === 0 && itemsOf(sale) === itemsOf(original)
      ? "a Normal Sale with the items of the one that it names: issue a Copy"
      : undefined;
  }
  if (invoiceType !== invoice.invoiceType || transactionType !== "Sale") {
    return `a ${invoice.invoiceType} Refund of a ${invoiceType} ${transactionType}`;
  }
  return invoiceType === "Advance" ? undefined : tooMuch(original, before);
}

/** Whether a receipt names one of its own card with a number that no receipt before it can have. */
function isToCome({ invoice: { referentDocumentNumber = "" }, receipt: { invoiceNumber } }: Sale): boolean {
  const [named, own] = [referentDocumentNumber, invoiceNumber].map((text) => /^(.*-)(\d+)$/.exec(text));
  if (named?.[1] === undefined || named[1] !== own?.[1]) return false;
  return Number(named[2]) === 0 || Number(named[2]) >= Number(own[2]);
}

/** Returns what is wrong with how a receipt names its original, or undefined. */
function wrongReference(sale: Sale, session: Session): string | undefined {
  const { invoice } = sale;
  const missing = missingReference(invoice);
  if (missing) return missing;
  const original = session.numbered(invoice.referentDocumentNumber);
  if (!original) return isToCome(sale) ? `there is no receipt ${invoice.referentDocumentNumber}` : undefined;
  const time = needsOriginal(invoice) ? wrongTime(original, String(invoice.referentDocumentDT)) : undefined;
  return time ?? wrongContent(sale, original, session);
}

/** Returns what is wrong with the reference of a refused invoice, or that it has not the labels of its original. */
function wrongInRefused(invoice: SentInvoice, { numbered }: Session): string | undefined {
  const original = needsOriginal(invoice) ? numbered(invoice.referentDocumentNumber) : undefined;
  const labels = original && labelsIn(original.invoice);
  const strange = labelsIn(invoice).find((label) => labels?.includes(label) === false);
  if (strange !== undefined) return `the original has no label ${JSON.stringify(strange)}`;
  return missingReference(invoice);
}

/**
 * Returns the Advance Sales that a Refund closes. The Refund names the last Advance Sale, and each Advance Sale names
 * the Advance Sale before.
 */
function chainOf(refund: Sale, { numbered, sales }: Session): Sale[] {
  const chain: Sale[] = [];
  let sale = numbered(refund.invoice.referentDocumentNumber);
  while (sale && pairOf(sale.invoice) === "AdvanceSale" && chain.length < sales.length) {
    chain.push(sale);
    sale = numbered(sale.invoice.referentDocumentNumber);
  }
  return chain;
}

const sum = (chain: readonly Sale[]): number =>
  chain.reduce((total, { receipt }) => total + minorUnits(receipt.totalAmount), 0);

const DAY_MS = 86_400_000;

/** Whether a sale is a Refund to the shop's own tax number. */
const isCancellation = ({ invoice, receipt: { tin } }: Sale): boolean =>
  pairOf(invoice) === "NormalRefund" && tin !== undefined && invoice.buyerId === `10:${tin}`;

const isPaidBack = ({ invoice }: Sale): boolean =>
  pairOf(invoice) === "NormalRefund" && invoice.payment.some(({ paymentType }) => paymentType === "Cash");

const itemsOf = ({ invoice }: Sale): string =>
  JSON.stringify(
    invoice.items.map(({ name, quantity, totalAmount, labels }) => [name, quantity, totalAmount, labels]).toSorted(),
  );

export const RECEIPT_RULES: readonly UntitledRule[] = [
  {
    id: "TYPES",
    source: MANUAL_TEST,
    names: PAIRS,
    shows: ({ invoice }, _, name) => pairOf(invoice) === name.replace(" ", ""),
  },
  {
    id: "OPS-008",
    source: `${MANUAL_TEST}, OPS-008`,
    // We judge refused invoices too, because a service refuses an invoice without the number of its original.
    judge: (span) => {
      const refused = span.refused.find(
        ({ request, invoice }) =>
          wrongInRefused(invoice, span) !== undefined && isFollowed(request, span) && !isCorrected(request, span),
      );
      if (refused) return failed([refused], wrongInRefused(refused.invoice, span) ?? "");
      const shows = ({ invoice }: Sale) =>
        needsOriginal(invoice) && span.numbered(invoice.referentDocumentNumber) !== undefined;
      return findingOf({ mistake: wrongReference, shows }, span);
    },
  },
  {
    id: "OPS-009",
    source: `${MANUAL_TEST}, OPS-009`,
    judge: (session) => {
      const { sales, numbered } = session;
      let closed: readonly Sale[] | undefined;
      for (const sale of sales) {
        const named = numbered(sale.invoice.referentDocumentNumber);
        if (!named) continue;
        if (pairOf(sale.invoice) === "NormalSale" && pairOf(named.invoice) === "AdvanceSale") {
          return failed([named, sale], `the final Sale names the Advance Sale ${named.receipt.invoiceNumber}`);
        }
        if (pairOf(sale.invoice) === "NormalSale" && pairOf(named.invoice) === "AdvanceRefund") {
          closed ??= [...chainOf(named, session).toReversed(), named, sale];
        }
        if (pairOf(sale.invoice) !== "AdvanceRefund") continue;
        const chain = chainOf(sale, session);
        const refunds = refundsOf(chain, sale, session);
        if (chain.length > 0 && sum(chain) !== sum(refunds)) {
          return failed([...chain.toReversed(), sale], `Refunds of ${sum(refunds) / 100} are not the whole sum`);
        }
      }
      return closed ? passed(closed) : NOT_SEEN;
    },
  },
  {
    id: "COND-ADVANCE",
    source: `${MANUAL_TEST}, conditions of the submission`,
    shows: ({ invoice, receipt }) => {
      const [paid, signed] = [invoice.dateAndTimeOfIssue, receipt.sdcDateTime].map((text) => printedMs(text, receipt));
      return pairOf(invoice) === "AdvanceSale" && paid !== undefined && signed !== undefined && paid <= signed - DAY_MS;
    },
  },
  {
    id: "CANCEL",
    source: INSTRUCTION,
    judge: (span) => {
      const { sales, numbered } = span;
      for (const refund of sales.filter(isCancellation)) {
        const original = numbered(refund.invoice.referentDocumentNumber);
        // OPS-008 names it.
        if (!original || wrongReference(refund, span) !== undefined) continue;
        if (itemsOf(original) !== itemsOf(refund)) return failed([original, refund], "other items than the original");
        const anew = sales.find(
          ({ request, invoice }) => request.id > refund.request.id && pairOf(invoice) === "NormalSale",
        );
        if (anew) return passed([original, refund, anew]);
      }
      return NOT_SEEN;
    },
  },
  {
    id: "CASH-BACK",
    source: INSTRUCTION,
    judge: ({ sales }) => {
      for (const refund of sales.filter(isPaidBack)) {
        const { invoiceNumber } = refund.receipt;
        const later = sales.filter(({ request }) => request.id > refund.request.id);
        const copy = later.find(
          ({ invoice }) => pairOf(invoice) === "CopyRefund" && invoice.referentDocumentNumber === invoiceNumber,
        );
        if (!copy) continue;
        const own = later.find(({ invoice }) => invoice.cashier === refund.invoice.cashier);
        return own === copy || copy.invoice.cashier !== refund.invoice.cashier
          ? passed([refund, copy])
          : failed([refund, copy], "other receipts in between");
      }
      return NOT_SEEN;
    },
  },
  {
    id: "SAMPLES",
    source: `${MANUAL_TEST}, sample receipts`,
    once: true,
    judge: (session) => allSeen(samplesOf(session)),
  },
  {
    id: "COND-LOCAL",
    source: `${MANUAL_TEST}, conditions of the submission`,
    shows: () => true,
  },
];
