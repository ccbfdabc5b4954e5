import { minorUnits, needsRounding, roundedProduct } from "../amounts.js";
import { MANUAL_TEST, noMistake, type Rule } from "../rule.js";

export const ROUNDING: Rule = {
  id: "CAT-005",
  text: "Totals are rounded half up: 0.123 × 9.90 is 1.22, and 0.123 × 9.95 is 1.22.",
  source: `${MANUAL_TEST}, CAT-005`,
  todo: "Sell 0.123 of something for 9.95.",
  change:
    "Round the total of a line half up to two decimals, and compute it with decimals, not with floating-point numbers.",
  judge: (session) =>
    noMistake(
      session,
      ({ invoice }) => {
        const wrong = invoice.items.find(
          (item) => Math.abs(minorUnits(item.totalAmount) - roundedProduct(item)) === 1 && needsRounding(item),
        );
        return wrong && `${wrong.quantity} × ${wrong.unitPrice} = ${wrong.totalAmount}`;
      },
      ({ invoice }) => invoice.items.some((item) => needsRounding(item)),
    ),
};
