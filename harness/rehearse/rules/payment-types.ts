import { PAYMENT_TYPES } from "../../../src/fiscal/invoice.js";
import { allSeen, MANUAL_TEST, type Rule } from "../rule.js";

export const EVERY_PAYMENT_TYPE: Rule = {
  id: "OPS-005",
  text: "Invoices are paid with each of the seven payment types.",
  source: `${MANUAL_TEST}, OPS-005`,
  todo: "Sell once with each payment type that is missing.",
  change: "Offer every payment type of the interface.",
  judge: ({ sales }) =>
    allSeen(Object.keys(PAYMENT_TYPES), (type) =>
      sales.find(({ invoice }) => invoice.payment.some(({ paymentType }) => paymentType === type)),
    ),
};
