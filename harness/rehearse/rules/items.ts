/** What is sold: names, quantities, totals and labels of items. */

import { failed, INSTRUCTION, MANUAL_TEST, NOT_SEEN, passed, type Rule } from "../rule.js";
import { minorUnits, needsRounding, roundedProduct, type Sale } from "../session.js";

/** The products of quantity and price that an authority asks for, each with its total in minor units. */
const ROUNDING_SET: Readonly<Record<string, { readonly product: number; readonly total: number }>> = {
  "5.1 → 5.10": { product: 5.1, total: 510 },
  "10.267 → 10.27": { product: 10.267, total: 1027 },
  "20.143 → 20.14": { product: 20.143, total: 2014 },
  "0.123 × 9.90 → 1.22": { product: 0.123 * 9.9, total: 122 },
  "0.123 × 9.95 → 1.22": { product: 0.123 * 9.95, total: 122 },
};
const CLOSE = 1e-9;

const hasUnit = (name: string): boolean => /\/\s*\S/.test(name);

const BEGINNING = /^(\d\d): /;
const RESERVED = /^(00|1[0-3]|2[0-2])$/;

function wrongBeginning({ invoice: { items, payment } }: Sale): string | undefined {
  const wrong = items.find(({ name }) => {
    const code = BEGINNING.exec(name)?.[1];
    if (code === undefined) return false;
    if (!RESERVED.test(code)) return true;
    return code === "00" && payment.some(({ paymentType }) => paymentType !== "Other");
  });
  return wrong && JSON.stringify(wrong.name);
}

export const ITEM_RULES: readonly Rule[] = [
  {
    id: "OPS-004",
    text: "A discount makes the total of a line smaller than quantity times unit price.",
    source: `${MANUAL_TEST}, OPS-004`,
    todo: "Sell an item with a discount.",
    change: "Send the unit price without the discount, and the total of the line with it.",
    // We ignore a difference of one minor unit, because rounding may cause it.
    shows: ({ invoice }) => invoice.items.some((item) => minorUnits(item.totalAmount) < roundedProduct(item) - 1),
  },
  {
    id: "OPS-007",
    text: "An item is sent with its GTIN; one of the receipts that are handed in has one.",
    source: `${MANUAL_TEST}, OPS-007 and CAT-004`,
    todo: "Sell an item that has a GTIN (the number of its bar code).",
    change: "Send the GTIN as 8 to 14 digits in the field gtin, and leave the field out if there is none.",
    mistake: ({ invoice }) => invoice.items.find(({ gtin }) => gtin !== undefined && !/^\d{8,14}$/.test(gtin))?.gtin,
    shows: ({ invoice }) => invoice.items.some(({ gtin }) => gtin !== undefined),
  },
  {
    id: "CAT-002",
    text: "A quantity has three decimals.",
    source: `${MANUAL_TEST}, CAT-002`,
    todo: "Sell something by weight, such as 0.123 kg.",
    change: "Send quantities with three decimals.",
    shows: ({ invoice }) => invoice.items.some(({ quantity }) => Math.round(quantity * 1000) % 10 !== 0),
  },
  {
    id: "CAT-005",
    text: "Totals are rounded half up: 0.123 × 9.90 is 1.22, and 0.123 × 9.95 is 1.22.",
    source: `${MANUAL_TEST}, CAT-005`,
    todo: "Sell 0.123 of something for 9.95.",
    change:
      "Round the total of a line half up to two decimals, and compute it with decimals, not with floating-point numbers.",
    mistake: ({ invoice }) => {
      const wrong = invoice.items.find(
        (item) => Math.abs(minorUnits(item.totalAmount) - roundedProduct(item)) === 1 && needsRounding(item),
      );
      return wrong && `${wrong.quantity} × ${wrong.unitPrice} = ${wrong.totalAmount}`;
    },
    shows: ({ invoice }) => invoice.items.some(needsRounding),
  },
  {
    id: "COND-ROUNDING",
    text: "The receipts that are handed in have the set for rounding: 5.10, 10.27, 20.14, and 1.22 twice.",
    source: `${MANUAL_TEST}, conditions of the submission`,
    todo: "Sell items whose quantity times unit price is each of the products that are missing.",
    change: "Round the total of a line half up to two decimals.",
    names: Object.keys(ROUNDING_SET),
    shows: ({ invoice }, _, name) => {
      const { product = Number.NaN, total } = ROUNDING_SET[name] ?? {};
      return invoice.items.some(
        ({ quantity, unitPrice, totalAmount }) =>
          Math.abs(quantity * unitPrice - product) < CLOSE && minorUnits(totalAmount) === total,
      );
    },
  },
  {
    id: "TAX-002",
    text: "One receipt has items with several tax labels; one of the receipts that are handed in is such a receipt.",
    source: `${MANUAL_TEST}, TAX-002`,
    todo: "Sell two items with different tax labels on one receipt.",
    change: "Send each item with its own labels.",
    shows: ({ invoice }) => new Set(invoice.items.flatMap(({ labels }) => labels)).size > 1,
  },
  {
    id: "UNIT",
    text: "The unit of measure is in the item's name, after a slash, such as Milk /l.",
    source: INSTRUCTION,
    todo: "Sell an item whose name ends with a slash and its unit.",
    change: "Append a slash and the unit of measure to the name of every item.",
    // If no item has a unit, the POS does not send units yet. If only some items have a unit, the others are mistakes.
    judge: ({ sales }) => {
      const shown = sales.filter(({ invoice }) => invoice.items.some(({ name }) => hasUnit(name)));
      if (shown.length === 0) return NOT_SEEN;
      const without = sales.filter(({ invoice }) => invoice.items.some(({ name }) => !hasUnit(name)));
      const [first] = without;
      const item = first?.invoice.items.find(({ name }) => !hasUnit(name));
      return item ? failed(without, JSON.stringify(item.name)) : passed(shown);
    },
  },
  {
    id: "ITEM-NAMES",
    text: "Reserved beginnings of item names: 10: to 13: for an advance, 20: to 22: for a single-purpose voucher, 00: for free of charge, paid with Other.",
    source: INSTRUCTION,
    todo: "Issue an Advance Sale whose item begins with 10: to 13:, or a receipt for a voucher or for goods free of charge.",
    change: "Use only the reserved beginnings in front of an item's name, and pay goods free of charge with Other.",
    mistake: wrongBeginning,
    shows: ({ invoice }) => invoice.items.some(({ name }) => BEGINNING.test(name)),
  },
];
