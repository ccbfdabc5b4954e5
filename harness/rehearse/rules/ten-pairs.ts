import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../../src/fiscal/invoice.js";
import { allSeen, MANUAL_TEST, type Rule } from "../rule.js";
import { pairOf } from "../session.js";

const PAIRS = INVOICE_TYPE_NAMES.flatMap((type) => TRANSACTION_TYPE_NAMES.map((kind) => ({ type, kind })));

export const TEN_PAIRS: Rule = {
  id: "TYPES",
  text: "The POS issues all ten pairs of types. (A simple POS needs fewer: then ignore this row.)",
  source: MANUAL_TEST,
  todo: "Issue a receipt of each pair that is missing.",
  change: "Offer every pair of types that your approval names.",
  judge: ({ sales }) =>
    allSeen(
      PAIRS.map(({ type, kind }) => `${type} ${kind}`),
      (name) => sales.find(({ invoice }) => pairOf(invoice) === name.replace(" ", "")),
    ),
};
