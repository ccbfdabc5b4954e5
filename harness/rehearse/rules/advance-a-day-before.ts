import { MANUAL_TEST, type Rule, someSale } from "../rule.js";
import { pairOf, printedMs } from "../session.js";

const DAY = 86_400_000;

export const ADVANCE_A_DAY_BEFORE: Rule = {
  id: "COND-ADVANCE",
  text: "One Advance Sale that is handed in has a POS time at least a day before.",
  source: `${MANUAL_TEST}, conditions of the submission`,
  todo: "Issue an Advance Sale whose money came yesterday or earlier.",
  change: "Send the time of the payment as dateAndTimeOfIssue.",
  judge: (session) =>
    someSale(session, ({ invoice, receipt }) => {
      const [paid, signed] = [invoice.dateAndTimeOfIssue, receipt.sdcDateTime].map((text) => printedMs(text, receipt));
      return pairOf(invoice) === "AdvanceSale" && paid !== undefined && signed !== undefined && paid <= signed - DAY;
    }),
};
