import { minorUnits } from "../amounts.js";
import { allSeen, MANUAL_TEST, type Rule } from "../rule.js";

/** The products of quantity and price that an authority asks for, each with its total in minor units. */
const SET = [
  { name: "5.1 → 5.10", product: 5.1, total: 510 },
  { name: "10.267 → 10.27", product: 10.267, total: 1027 },
  { name: "20.143 → 20.14", product: 20.143, total: 2014 },
  { name: "0.123 × 9.90 → 1.22", product: 0.123 * 9.9, total: 122 },
  { name: "0.123 × 9.95 → 1.22", product: 0.123 * 9.95, total: 122 },
];
const CLOSE = 1e-9;

export const ROUNDING_SET: Rule = {
  id: "COND-ROUNDING",
  text: "The receipts that are handed in have the set for rounding: 5.10, 10.27, 20.14, and 1.22 twice.",
  source: `${MANUAL_TEST}, conditions of the submission`,
  todo: "Sell items whose quantity times unit price is each of the products that are missing.",
  change: "Round the total of a line half up to two decimals.",
  judge: ({ sales }) =>
    allSeen(
      SET.map(({ name }) => name),
      (sought) => {
        const { product, total } = SET.find(({ name }) => name === sought) ?? { product: Number.NaN, total: 0 };
        return sales.find(({ invoice }) =>
          invoice.items.some(
            ({ quantity, unitPrice, totalAmount }) =>
              Math.abs(quantity * unitPrice - product) < CLOSE && minorUnits(totalAmount) === total,
          ),
        );
      },
    ),
};
