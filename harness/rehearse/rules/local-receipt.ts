import { MANUAL_TEST, type Rule, someSale } from "../rule.js";

export const LOCAL_RECEIPT: Rule = {
  id: "COND-LOCAL",
  text: "At least one receipt of a local service is handed in.",
  source: `${MANUAL_TEST}, conditions of the submission`,
  todo: "Sell once.",
  change: "Send invoices to the local service.",
  judge: (session) => someSale(session, () => true),
};
