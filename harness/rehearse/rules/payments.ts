/** How a receipt is paid. */
import { PAYMENT_TYPES } from "../../../src/fiscal/invoice.js";
import { INSTRUCTION, MANUAL_TEST, type Rule } from "../rule.js";
import type { Sale } from "../session.js";

const typesIn = ({ invoice }: Sale) => new Set(invoice.payment.map(({ paymentType }) => paymentType));

const isCorporate = ({ invoice }: Sale): boolean => invoice.buyerCostCenterId?.startsWith("50:") === true;

export const PAYMENT_RULES: readonly Rule[] = [
  {
    id: "OPS-005",
    text: "Invoices are paid with each of the seven payment types.",
    source: `${MANUAL_TEST}, OPS-005`,
    todo: "Sell once with each payment type that is missing.",
    change: "Offer every payment type of the interface.",
    names: Object.keys(PAYMENT_TYPES),
    shows: ({ invoice }, _, type) => invoice.payment.some(({ paymentType }) => paymentType === type),
  },
  {
    id: "OPS-006-SEVERAL",
    text: "One receipt is paid with several payment types.",
    source: `${MANUAL_TEST}, OPS-006`,
    todo: "Sell once, and pay a part in cash and a part by card.",
    change: "Send each payment of a sale as an entry of payment.",
    shows: (sale) => typesIn(sale).size > 1,
  },
  {
    id: "OPS-006-TWICE",
    text: "One receipt is paid twice with the same payment type.",
    source: `${MANUAL_TEST}, OPS-006`,
    todo: "Sell once, and pay with two cards.",
    change: "Send two payments of one type as two entries of payment.",
    shows: (sale) => typesIn(sale).size < sale.invoice.payment.length,
  },
  {
    id: "COND-PAYMENTS",
    text: "One receipt that is handed in is paid with all seven payment types.",
    source: `${MANUAL_TEST}, conditions of the submission`,
    todo: "Sell once, and pay a part with each payment type.",
    change: "Allow all payment types on one receipt.",
    shows: (sale) => typesIn(sale).size === Object.keys(PAYMENT_TYPES).length,
  },
  {
    id: "CORPORATE-CARD",
    text: "Optional: a sale with a corporate card has 50: in the buyer's optional field, and the payment Voucher.",
    source: INSTRUCTION,
    todo: "If the POS takes corporate cards: sell once with one. Otherwise ignore this row.",
    change: "Send the payment of a corporate card as Voucher.",
    mistake: (sale) => (isCorporate(sale) && !typesIn(sale).has("Voucher") ? "no payment Voucher" : undefined),
    shows: isCorporate,
  },
];
