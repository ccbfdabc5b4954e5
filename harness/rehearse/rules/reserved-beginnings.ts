import { INSTRUCTION, noMistake, type Rule } from "../rule.js";
import type { Sale } from "../session.js";

const BEGINNING = /^(\d\d): /;
const RESERVED = /^(00|1[0-3]|2[0-2])$/;

function mistakeIn({ invoice: { items, payment } }: Sale): string | undefined {
  const wrong = items.find(({ name }) => {
    const code = BEGINNING.exec(name)?.[1];
    if (code === undefined) return false;
    if (!RESERVED.test(code)) return true;
    return code === "00" && payment.some(({ paymentType }) => paymentType !== "Other");
  });
  return wrong && JSON.stringify(wrong.name);
}

export const RESERVED_BEGINNINGS: Rule = {
  id: "ITEM-NAMES",
  text: "Reserved beginnings of item names: 10: to 13: for an advance, 20: to 22: for a single-purpose voucher, 00: for free of charge, paid with Other.",
  source: INSTRUCTION,
  todo: "Issue an Advance Sale whose item begins with 10: to 13:, or a receipt for a voucher or for goods free of charge.",
  change: "Use only the reserved beginnings in front of an item's name, and pay goods free of charge with Other.",
  judge: (session) =>
    noMistake(session, mistakeIn, ({ invoice }) => invoice.items.some(({ name }) => BEGINNING.test(name))),
};
