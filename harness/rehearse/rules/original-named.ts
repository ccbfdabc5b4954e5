import { isTimeOf, readPosTime, receiptTime } from "../../../src/fiscal/pos-time.js";
import { failed, MANUAL_TEST, noMistake, type Rule } from "../rule.js";
import { printedInUtc, type Sale, type Session } from "../session.js";

const needsOriginal = ({ invoice }: Pick<Sale, "invoice">): boolean =>
  invoice.invoiceType === "Copy" || invoice.transactionType === "Refund";

const SECOND = 1000;

/** Returns what is wrong with a time that is to be the original's, or undefined. */
function wrongTime({ receipt }: Sale, text: string): string | undefined {
  const [time, own] = [readPosTime(text), receiptTime(receipt.sdcDateTime)];
  if (time === undefined || !isTimeOf(time, own, "UTC")) return `referentDocumentDT ${text}`;
  return time.startsWith(own.printed) ? undefined : printedInUtc(text, Date.parse(`${own.printed}Z`), receipt, SECOND);
}

function mistakeIn(sale: Pick<Sale, "invoice">, { numbered }: Session): string | undefined {
  if (!needsOriginal(sale)) return undefined;
  const { referentDocumentNumber, referentDocumentDT } = sale.invoice;
  if (referentDocumentNumber === undefined) return "referentDocumentNumber is missing";
  if (referentDocumentDT === undefined) return "referentDocumentDT is missing";
  const original = numbered(referentDocumentNumber);
  return original && wrongTime(original, String(referentDocumentDT));
}

export const ORIGINAL_NAMED: Rule = {
  id: "OPS-008",
  text: "A Refund and a Copy name the number and the time of their original.",
  source: `${MANUAL_TEST}, OPS-008`,
  todo: "Sell, refund the sale, and make a copy of it.",
  change:
    "Send referentDocumentNumber (invoiceNumber of the original's answer) and referentDocumentDT (its sdcDateTime) with each Refund and Copy.",
  // We judge refused invoices too, because a service refuses an invoice without the number of its original.
  judge: (session) => {
    const [refused] = session.refused.filter((sale) => mistakeIn(sale, session) !== undefined);
    if (refused) return failed([refused], mistakeIn(refused, session) ?? "");
    return noMistake(
      session,
      (sale) => mistakeIn(sale, session),
      (sale) => needsOriginal(sale) && session.numbered(sale.invoice.referentDocumentNumber) !== undefined,
    );
  },
};
