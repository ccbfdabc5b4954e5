import { minorUnits, roundedProduct } from "../amounts.js";
import { MANUAL_TEST, type Rule, someSale } from "../rule.js";

export const DISCOUNT: Rule = {
  id: "OPS-004",
  text: "A discount makes the total of a line smaller than quantity times unit price.",
  source: `${MANUAL_TEST}, OPS-004`,
  todo: "Sell an item with a discount.",
  change: "Send the unit price without the discount, and the total of the line with it.",
  // We ignore a difference of one minor unit, because rounding may cause it.
  judge: (session) =>
    someSale(session, ({ invoice }) =>
      invoice.items.some((item) => minorUnits(item.totalAmount) < roundedProduct(item) - 1),
    ),
};
