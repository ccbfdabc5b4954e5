import { failed, INSTRUCTION, NOT_SEEN, passed, type Rule } from "../rule.js";
import { pairOf } from "../session.js";

export const CASH_BACK: Rule = {
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
};
