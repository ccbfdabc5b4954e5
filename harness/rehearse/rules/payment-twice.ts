import { MANUAL_TEST, type Rule, someSale } from "../rule.js";

export const PAYMENT_TWICE: Rule = {
  id: "OPS-006-TWICE",
  text: "One receipt is paid twice with the same payment type.",
  source: `${MANUAL_TEST}, OPS-006`,
  todo: "Sell once, and pay with two cards.",
  change: "Send two payments of one type as two entries of payment.",
  judge: (session) =>
    someSale(session, ({ invoice: { payment } }) => {
      const types = payment.map(({ paymentType }) => paymentType);
      return new Set(types).size < types.length;
    }),
};
