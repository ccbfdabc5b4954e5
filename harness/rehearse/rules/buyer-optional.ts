import { INSTRUCTION, noMistake, type Rule } from "../rule.js";
import { pairOf } from "../session.js";

const COST_CENTRE = /^(2[01]|3[0-3]|50|60):\S/;

export const BUYER_OPTIONAL: Rule = {
  id: "BUYER-OPTIONAL",
  text: "A Normal Sale has the buyer's optional field, in the form NN:value with one of the codes 20, 21, 30 to 33, 50 and 60.",
  source: INSTRUCTION,
  todo: "Sell once with a buyer and the buyer's optional field.",
  change: "Send buyerCostCenterId as code, colon and value, and leave the field out if it is not used.",
  judge: (session) =>
    noMistake(
      session,
      ({ invoice: { buyerCostCenterId: field } }) =>
        field === undefined || COST_CENTRE.test(field) ? undefined : `buyerCostCenterId ${JSON.stringify(field)}`,
      ({ invoice }) => pairOf(invoice) === "NormalSale" && invoice.buyerCostCenterId !== undefined,
    ),
};
