import { MANUAL_TEST, type Rule, someSale } from "../rule.js";

export const SEVERAL_LABELS: Rule = {
  id: "TAX-002",
  text: "One receipt has items with several tax labels; one of the receipts that are handed in is such a receipt.",
  source: `${MANUAL_TEST}, TAX-002`,
  todo: "Sell two items with different tax labels on one receipt.",
  change: "Send each item with its own labels.",
  judge: (session) =>
    someSale(session, ({ invoice }) => new Set(invoice.items.flatMap(({ labels }) => labels)).size > 1),
};
