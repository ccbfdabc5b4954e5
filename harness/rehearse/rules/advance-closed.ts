import { minorUnits } from "../amounts.js";
import { failed, MANUAL_TEST, NOT_SEEN, passed, type Rule } from "../rule.js";
import { pairOf, type Sale, type Session } from "../session.js";

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

export const ADVANCE_CLOSED: Rule = {
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
        return failed([...chain.toReversed(), sale], `the Refund of ${sale.receipt.totalAmount} is not the whole sum`);
      }
    }
    const closing = sales.find(
      ({ invoice }) =>
        pairOf(invoice) === "NormalSale" && numbered(invoice.referentDocumentNumber)?.invoice.invoiceType === "Advance",
    );
    const refund = closing && numbered(closing.invoice.referentDocumentNumber);
    if (!closing || !refund) return NOT_SEEN;
    return passed([...chainOf(refund, session).toReversed(), refund, closing]);
  },
};
