import { INSTRUCTION, noMistake, type Rule } from "../rule.js";

export const CASHIER: Rule = {
  id: "CASHIER",
  text: "The cashier is on the receipt. A cashier that is sent with a code has the code 10.",
  source: INSTRUCTION,
  todo: "Sell once with a cashier.",
  change: "Send the cashier's name, or 10: and the cashier's number, in the field cashier.",
  judge: (session) =>
    noMistake(
      session,
      ({ invoice: { cashier = "" } }) =>
        /^\d\d:/.test(cashier) && !/^10:\S/.test(cashier) ? `cashier ${cashier}` : undefined,
      ({ invoice }) => invoice.cashier !== undefined,
    ),
};
