import { failed, MANUAL_TEST, noMistake, type Rule } from "../rule.js";
import { type Sale, type Session, timeOf } from "../session.js";

const needsOriginal = ({ invoice }: Pick<Sale, "invoice">): boolean =>
  invoice.invoiceType === "Copy" || invoice.transactionType === "Refund";

const SECOND = 1000;
const QUARTER_OF_AN_HOUR = 900_000;

/**
 * Whether the text is the original's time. A POS may cut off milliseconds, and may send its local time without a zone.
 */
function isTimeOf(original: Sale, text: string): boolean {
  const [time, signed] = [timeOf(text), timeOf(original.receipt.sdcDateTime)];
  if (time === undefined || signed === undefined) return time === signed;
  const away = Math.abs(time - signed);
  return away < SECOND || (!/(z|[+-]\d\d:?\d\d)$/i.test(text) && away % QUARTER_OF_AN_HOUR < SECOND);
}

function mistakeIn(sale: Pick<Sale, "invoice">, { numbered }: Session): string | undefined {
  if (!needsOriginal(sale)) return undefined;
  const { referentDocumentNumber, referentDocumentDT } = sale.invoice;
  if (referentDocumentNumber === undefined) return "referentDocumentNumber is missing";
  if (referentDocumentDT === undefined) return "referentDocumentDT is missing";
  const original = numbered(referentDocumentNumber);
  return original && !isTimeOf(original, referentDocumentDT) ? `referentDocumentDT ${referentDocumentDT}` : undefined;
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
