import { MANUAL_TEST, noMistake, type Rule } from "../rule.js";

export const GTIN: Rule = {
  id: "OPS-007",
  text: "An item is sent with its GTIN; one of the receipts that are handed in has one.",
  source: `${MANUAL_TEST}, OPS-007 and CAT-004`,
  todo: "Sell an item that has a GTIN (the number of its bar code).",
  change: "Send the GTIN as 8 to 14 digits in the field gtin, and leave the field out if there is none.",
  judge: (session) =>
    noMistake(
      session,
      ({ invoice }) => invoice.items.find(({ gtin }) => gtin !== undefined && !/^\d{8,14}$/.test(gtin))?.gtin,
      ({ invoice }) => invoice.items.some(({ gtin }) => gtin !== undefined),
    ),
};
