/** Which kinds of receipt a POS issues, and how one receipt names another. */
import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../../src/fiscal/invoice.js";
import { isTimeOf, receiptTime } from "../../../src/fiscal/pos-time.js";
import { readPosTime } from "../../../src/fiscal/time.js";
import { allSeen, failed, findingOf, INSTRUCTION, MANUAL_TEST, NOT_SEEN, passed, type Rule } from "../rule.js";
import { samplesOf } from "../samples.js";
import { minorUnits, pairOf, printedInUtc, printedMs, type Sale, type Session } from "../session.js";

const PAIRS = INVOICE_TYPE_NAMES.flatMap((type) => TRANSACTION_TYPE_NAMES.map((kind) => `${type} ${kind}`));

const needsOriginal = ({ invoice }: Pick<Sale, "invoice">): boolean =>
  invoice.invoiceType === "Copy" || invoice.transactionType === "Refund";

const SECOND_MS = 1000;

/** Returns what is wrong with a time that is to be the original's, or undefined. */
function wrongTime({ receipt }: Sale, text: string): string | undefined {
  const [time, own] = [readPosTime(text), receiptTime(receipt.sdcDateTime)];
  if (time === undefined || !isTimeOf(time, own, "UTC")) return `referentDocumentDT ${text}`;
  return time.startsWith(own.printed)
    ? undefined
    : printedInUtc(text, Date.parse(`${own.printed}Z`), receipt, SECOND_MS);
}

function missingOriginal(sale: Pick<Sale, "invoice">, { numbered }: Session): string | undefined {
  if (!needsOriginal(sale)) return undefined;
  const { referentDocumentNumber, referentDocumentDT } = sale.invoice;
  if (referentDocumentNumber === undefined) return "referentDocumentNumber is missing";
  if (referentDocumentDT === undefined) return "referentDocumentDT is missing";
  const original = numbered(referentDocumentNumber);
  return original && wrongTime(original, String(referentDocumentDT));
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

const itemsOf = ({ invoice }: Sale): string =>
  JSON.stringify(
    invoice.items.map(({ name, quantity, totalAmount, labels }) => [name, quantity, totalAmount, labels]).toSorted(),
  );

export const RECEIPT_RULES: readonly Rule[] = [
  {
    id: "TYPES",
    text: "The POS issues all ten pairs of types. (A simple POS needs fewer: then ignore this row.)",
    source: MANUAL_TEST,
    todo: "Issue a receipt of each pair that is missing.",
    change: "Offer every pair of types that your approval names.",
    names: PAIRS,
    shows: ({ invoice }, _, name) => pairOf(invoice) === name.replace(" ", ""),
  },
  {
    id: "OPS-008",
    text: "A Refund and a Copy name the number and the time of their original.",
    source: `${MANUAL_TEST}, OPS-008`,
    todo: "Sell, refund the sale, and make a copy of it.",
    change:
      "Send referentDocumentNumber (invoiceNumber of the original's answer) and referentDocumentDT (its sdcDateTime) with each Refund and Copy.",
    // We judge refused invoices too, because a service refuses an invoice without the number of its original.
    judge: (session) => {
      const [refused] = session.refused.filter((sale) => missingOriginal(sale, session) !== undefined);
      if (refused) return failed([refused], missingOriginal(refused, session) ?? "");
      const shows = (sale: Sale) =>
        needsOriginal(sale) && session.numbered(sale.invoice.referentDocumentNumber) !== undefined;
      return findingOf({ mistake: missingOriginal, shows }, session);
    },
  },
  {
    id: "OPS-009",
    text: "The final Sale of an advance names the Advance Refund, which gives back the whole sum and names the last Advance Sale.",
    source: `${MANUAL_TEST}, OPS-009`,
    todo: "Take an advance in two payments, and close it: Advance Refund of the whole sum, then Normal Sale.",
    change:
      "Name in each Advance Sale the one before, in the Advance Refund the last Advance Sale, and in the final Normal Sale the Advance Refund.",
    judge: (session) => {
      const { sales, numbered } = session;
      for (const sale of sales) {
        const named = numbered(sale.invoice.referentDocumentNumber);
        if (!named) continue;
        if (pairOf(sale.invoice) === "NormalSale" && pairOf(named.invoice) === "AdvanceSale") {
          return failed([named, sale], `the final Sale names the Advance Sale ${named.receipt.invoiceNumber}`);
        }
        if (pairOf(sale.invoice) !== "AdvanceRefund") continue;
        const chain = chainOf(sale, session);
        if (chain.length > 0 && sum(chain) !== minorUnits(sale.receipt.totalAmount)) {
          return failed(
            [...chain.toReversed(), sale],
            `the Refund of ${sale.receipt.totalAmount} is not the whole sum`,
          );
        }
      }
      const closing = sales.find(
        ({ invoice }) =>
          pairOf(invoice) === "NormalSale" &&
          numbered(invoice.referentDocumentNumber)?.invoice.invoiceType === "Advance",
      );
      const refund = closing && numbered(closing.invoice.referentDocumentNumber);
      if (!closing || !refund) return NOT_SEEN;
      return passed([...chainOf(refund, session).toReversed(), refund, closing]);
    },
  },
  {
    id: "COND-ADVANCE",
    text: "One Advance Sale that is handed in has a POS time at least a day before.",
    source: `${MANUAL_TEST}, conditions of the submission`,
    todo: "Issue an Advance Sale whose money came yesterday or earlier.",
    change: "Send the time of the payment as dateAndTimeOfIssue.",
    shows: ({ invoice, receipt }) => {
      const [paid, signed] = [invoice.dateAndTimeOfIssue, receipt.sdcDateTime].map((text) => printedMs(text, receipt));
      return pairOf(invoice) === "AdvanceSale" && paid !== undefined && signed !== undefined && paid <= signed - DAY_MS;
    },
  },
  {
    id: "CANCEL",
    text: "A wrong receipt is cancelled by a Refund of the same items to the shop's own tax number (10:), then issued anew.",
    source: INSTRUCTION,
    todo: "Cancel a receipt in the POS, and issue it anew.",
    change:
      "Refund all items of the wrong receipt with buyerId 10: and the shop's own tax number, then issue the right receipt.",
    judge: ({ sales, numbered }) => {
      for (const refund of sales.filter(isCancellation)) {
        const original = numbered(refund.invoice.referentDocumentNumber);
        if (!original) continue;
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
    text: "If cash is given back on the spot, a Copy Refund follows directly after the Normal Refund.",
    source: INSTRUCTION,
    todo: "Refund a sale in cash, and give the money back on the spot.",
    change: "Issue the Copy Refund, which names the Refund, directly after it.",
    judge: ({ sales }) => {
      for (const [i, refund] of sales.entries()) {
        if (pairOf(refund.invoice) !== "NormalRefund") continue;
        const number = refund.receipt.invoiceNumber;
        const copy = sales.findIndex(
          ({ invoice }, at) => at > i && pairOf(invoice) === "CopyRefund" && invoice.referentDocumentNumber === number,
        );
        const made = sales[copy];
        if (made) return copy === i + 1 ? passed([refund, made]) : failed([refund, made], "other receipts in between");
      }
      return NOT_SEEN;
    },
  },
  {
    id: "SAMPLES",
    text: "Fifteen sample receipts are handed in: the ten pairs of types with a buyer, and the five kinds of Sale without.",
    source: `${MANUAL_TEST}, sample receipts`,
    todo: "Issue each receipt that is missing.",
    change: "Offer a buyer for every pair of types.",
    judge: (session) => {
      const samples = new Map(samplesOf(session).map(({ name, sale }) => [name, sale]));
      return allSeen([...samples.keys()], (name) => samples.get(name));
    },
  },
  {
    id: "COND-LOCAL",
    text: "At least one receipt of a local service is handed in.",
    source: `${MANUAL_TEST}, conditions of the submission`,
    todo: "Sell once.",
    change: "Send invoices to the local service.",
    shows: () => true,
  },
];
