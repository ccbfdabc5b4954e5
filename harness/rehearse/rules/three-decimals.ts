import { MANUAL_TEST, type Rule, someSale } from "../rule.js";

export const THREE_DECIMALS: Rule = {
  id: "CAT-002",
  text: "A quantity has three decimals.",
  source: `${MANUAL_TEST}, CAT-002`,
  todo: "Sell something by weight, such as 0.123 kg.",
  change: "Send quantities with three decimals.",
  judge: (session) =>
    someSale(session, ({ invoice }) => invoice.items.some(({ quantity }) => Math.round(quantity * 1000) % 10 !== 0)),
};
