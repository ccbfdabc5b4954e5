import { INSTRUCTION, noMistake, type Rule } from "../rule.js";
import { pairOf, type Sale, timeOf } from "../session.js";

function mistakeIn({ invoice, receipt }: Sale): string | undefined {
  const { dateAndTimeOfIssue: text } = invoice;
  if (text === undefined) return undefined;
  if (pairOf(invoice) !== "AdvanceSale")
    return `dateAndTimeOfIssue on ${invoice.invoiceType} ${invoice.transactionType}`;
  const [paid, signed] = [timeOf(text), timeOf(receipt.sdcDateTime)];
  return paid !== undefined && signed !== undefined && paid > signed ? `dateAndTimeOfIssue ${text}` : undefined;
}

export const POS_TIME: Rule = {
  id: "POS-TIME",
  text: "dateAndTimeOfIssue is only on an Advance Sale whose money came earlier, and nowhere else.",
  source: INSTRUCTION,
  todo: "Issue an Advance Sale whose money came before today.",
  change: "Send dateAndTimeOfIssue only with an Advance Sale, and only if the money came earlier.",
  judge: (session) => noMistake(session, mistakeIn, ({ invoice }) => invoice.dateAndTimeOfIssue !== undefined),
};
