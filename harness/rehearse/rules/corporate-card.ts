import { INSTRUCTION, noMistake, type Rule } from "../rule.js";
import type { Sale } from "../session.js";

const isCorporate = ({ invoice }: Sale): boolean => invoice.buyerCostCenterId?.startsWith("50:") === true;
const hasVoucher = ({ invoice }: Sale): boolean => invoice.payment.some(({ paymentType }) => paymentType === "Voucher");

export const CORPORATE_CARD: Rule = {
  id: "CORPORATE-CARD",
  text: "Optional: a sale with a corporate card has 50: in the buyer's optional field, and the payment Voucher.",
  source: INSTRUCTION,
  todo: "If the POS takes corporate cards: sell once with one. Otherwise ignore this row.",
  change: "Send the payment of a corporate card as Voucher.",
  judge: (session) =>
    noMistake(
      session,
      (sale) => (isCorporate(sale) && !hasVoucher(sale) ? "no payment Voucher" : undefined),
      isCorporate,
    ),
};
