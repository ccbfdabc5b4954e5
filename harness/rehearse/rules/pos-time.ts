import { INSTRUCTION, noMistake, type Rule } from "../rule.js";
import { pairOf, printedInUtc, printedMs, type Sale } from "../session.js";

/** A POS that sends the time of the sale has read its clock within this time. */
const JUST_NOW_MS = 600_000;

function mistakeIn({ invoice, receipt }: Sale): string | undefined {
  const { dateAndTimeOfIssue: text } = invoice;
  if (text === undefined) return undefined;
  if (pairOf(invoice) !== "AdvanceSale")
    return `dateAndTimeOfIssue on ${invoice.invoiceType} ${invoice.transactionType}`;
  const [paid, signed] = [text, receipt.sdcDateTime].map((time) => printedMs(time, receipt));
  if (paid === undefined || signed === undefined) return undefined;
  return paid > signed ? `dateAndTimeOfIssue ${text}` : printedInUtc(text, signed, receipt, JUST_NOW_MS);
}

export const POS_TIME: Rule = {
  id: "POS-TIME",
  text: "dateAndTimeOfIssue is only on an Advance Sale whose money came earlier, and nowhere else.",
  source: INSTRUCTION,
  todo: "Issue an Advance Sale whose money came before today.",
  change: "Send dateAndTimeOfIssue only with an Advance Sale, and only if the money came earlier.",
  judge: (session) => noMistake(session, mistakeIn, ({ invoice }) => invoice.dateAndTimeOfIssue !== undefined),
};
