import { MANUAL_TEST, type Rule, someSale } from "../rule.js";

export const SEVERAL_PAYMENTS: Rule = {
  id: "OPS-006-SEVERAL",
  text: "One receipt is paid with several payment types.",
  source: `${MANUAL_TEST}, OPS-006`,
  todo: "Sell once, and pay a part in cash and a part by card.",
  change: "Send each payment of a sale as an entry of payment.",
  judge: (session) =>
    someSale(session, ({ invoice }) => new Set(invoice.payment.map(({ paymentType }) => paymentType)).size > 1),
};
