/** What is sold: names, quantities, totals and labels of items. */

import { failed, INSTRUCTION, MANUAL_TEST, NOT_SEEN, passed, type UntitledRule } from "../rule.js";
import { minorUnits, needsRounding, roundedProduct, type Sale, type SentItem } from "../session.js";

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

/** The price of a unit may be rounded, if the total is what was agreed: 30 pieces of 3.33 for 100.00. */
const isTooLarge = (item: SentItem): boolean =>
  minorUnits(item.totalAmount) > roundedProduct(item) + 1 + item.quantity / 2;

const productText = (item: SentItem | undefined) =>
  item && `${item.quantity} × ${item.unitPrice} = ${item.totalAmount}`;

export const ITEM_RULES: readonly UntitledRule[] = [
  {
    id: "OPS-004",
    source: `${MANUAL_TEST}, OPS-004`,
    mistake: ({ invoice }) => productText(invoice.items.find(isTooLarge)),
    // We ignore a difference of one minor unit, because rounding may cause it.
    shows: ({ invoice }) => invoice.items.some((item) => minorUnits(item.totalAmount) < roundedProduct(item) - 1),
  },
  {
    id: "OPS-007",
    source: `${MANUAL_TEST}, OPS-007 and CAT-004`,
    mistake: ({ invoice }) => invoice.items.find(({ gtin }) => gtin !== undefined && !/^\d{8,14}$/.test(gtin))?.gtin,
    shows: ({ invoice }) => invoice.items.some(({ gtin }) => gtin !== undefined),
  },
  {
    id: "CAT-002",
    source: `${MANUAL_TEST}, CAT-002`,
    shows: ({ invoice }) => invoice.items.some(({ quantity }) => Math.round(quantity * 1000) % 10 !== 0),
  },
  {
    id: "CAT-005",
    source: `${MANUAL_TEST}, CAT-005`,
    mistake: ({ invoice }) => {
      const isOff = (item: SentItem) => Math.abs(minorUnits(item.totalAmount) - roundedProduct(item)) === 1;
      return productText(invoice.items.find((item) => isOff(item) && needsRounding(item)));
    },
    shows: ({ invoice }) => invoice.items.some(needsRounding),
  },
  {
    id: "COND-ROUNDING",
    source: `${MANUAL_TEST}, conditions of the submission`,
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
    source: `${MANUAL_TEST}, TAX-002`,
    shows: ({ invoice }) => new Set(invoice.items.flatMap(({ labels }) => labels)).size > 1,
  },
  {
    id: "UNIT",
    source: INSTRUCTION,
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
    source: INSTRUCTION,
    mistake: wrongBeginning,
    shows: ({ invoice }) => invoice.items.some(({ name }) => BEGINNING.test(name)),
  },
];
