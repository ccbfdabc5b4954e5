/** How a receipt is paid. */
import { PAYMENT_TYPES } from "../../../src/fiscal/invoice.js";
import { INSTRUCTION, MANUAL_TEST, type UntitledRule } from "../rule.js";
import type { Sale } from "../session.js";

const typesIn = ({ invoice }: Sale) => new Set(invoice.payment.map(({ paymentType }) => paymentType));

const isCorporate = ({ invoice }: Sale): boolean => invoice.buyerCostCenterId?.startsWith("50:") === true;

export const PAYMENT_RULES: readonly UntitledRule[] = [
  {
    id: "OPS-005",
    source: `${MANUAL_TEST}, OPS-005`,
    names: Object.keys(PAYMENT_TYPES),
    shows: ({ invoice }, _, type) => invoice.payment.some(({ paymentType }) => paymentType === type),
  },
  {
    id: "OPS-006-SEVERAL",
    source: `${MANUAL_TEST}, OPS-006`,
    shows: (sale) => typesIn(sale).size > 1,
  },
  {
    id: "OPS-006-TWICE",
    source: `${MANUAL_TEST}, OPS-006`,
    shows: (sale) => typesIn(sale).size < sale.invoice.payment.length,
  },
  {
    id: "COND-PAYMENTS",
    source: `${MANUAL_TEST}, conditions of the submission`,
    shows: (sale) => typesIn(sale).size === Object.keys(PAYMENT_TYPES).length,
  },
  {
    id: "CORPORATE-CARD",
    source: INSTRUCTION,
    mistake: (sale) => (isCorporate(sale) && !typesIn(sale).has("Voucher") ? "no payment Voucher" : undefined),
    shows: isCorporate,
  },
];
