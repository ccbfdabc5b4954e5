import { failed, INSTRUCTION, NOT_SEEN, passed, type Rule } from "../rule.js";

const hasUnit = (name: string): boolean => /\/\s*\S/.test(name);

export const UNIT_OF_MEASURE: Rule = {
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
};
