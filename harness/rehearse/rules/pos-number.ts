import { INSTRUCTION, noMistake, type Rule } from "../rule.js";

const POS_NUMBER = /^\d+\/\d+(\.\d+)*$/;

export const POS_NUMBER_FORM: Rule = {
  id: "POS-NUMBER",
  text: "The POS number is exactly the approval's number, a slash and the version, such as 123/1.0.",
  source: INSTRUCTION,
  todo: "Sell once. Without an approval, use any number, such as 123/1.0.",
  change: "Send approval/version in the field invoiceNumber, and append nothing.",
  judge: (session) =>
    noMistake(
      session,
      ({ invoice: { invoiceNumber } }) =>
        invoiceNumber === undefined || POS_NUMBER.test(invoiceNumber) ? undefined : `invoiceNumber ${invoiceNumber}`,
      ({ invoice }) => invoice.invoiceNumber !== undefined,
    ),
};
