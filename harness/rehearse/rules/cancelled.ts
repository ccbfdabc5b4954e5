import { failed, INSTRUCTION, NOT_SEEN, passed, type Rule } from "../rule.js";
import { pairOf, type Sale } from "../session.js";

/** Whether a sale is a Refund to the shop's own tax number. */
const isCancellation = ({ invoice, receipt: { tin } }: Sale): boolean =>
  pairOf(invoice) === "NormalRefund" && tin !== undefined && invoice.buyerId === `10:${tin}`;

const itemsOf = ({ invoice }: Sale): string =>
  JSON.stringify(
    invoice.items.map(({ name, quantity, totalAmount, labels }) => [name, quantity, totalAmount, labels]).toSorted(),
  );

export const CANCELLED: Rule = {
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
};
