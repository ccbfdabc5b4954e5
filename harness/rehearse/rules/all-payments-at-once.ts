import { PAYMENT_TYPES } from "../../../src/fiscal/invoice.js";
import { MANUAL_TEST, type Rule, someSale } from "../rule.js";

const TYPES = Object.keys(PAYMENT_TYPES).length;

export const ALL_PAYMENTS_AT_ONCE: Rule = {
  id: "COND-PAYMENTS",
  text: "One receipt that is handed in is paid with all seven payment types.",
  source: `${MANUAL_TEST}, conditions of the submission`,
  todo: "Sell once, and pay a part with each payment type.",
  change: "Allow all payment types on one receipt.",
  judge: (session) =>
    someSale(session, ({ invoice }) => new Set(invoice.payment.map(({ paymentType }) => paymentType)).size === TYPES),
};
