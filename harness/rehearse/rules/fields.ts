/** The fields of an invoice beside its items and payments. */

import { countryOf, type RequiredField } from "../../../src/fiscal/countries.js";
import { fieldsOf } from "../../scenario/json.js";
import { INSTRUCTION, type UntitledRule } from "../rule.js";
import { pairOf, printedInUtc, printedMs, type Sale, type SentInvoice, type Session } from "../session.js";

const BUYER = /^(1[0-6]|2[0-3]|3[0-6]|40):\S/;

/**
 * Reads the buyer from the request's body. `invoice` leaves out an empty buyer, but the service may print an empty line
 * for an empty buyer.
 */
function sentBuyer({ request: { body } }: Sale): unknown {
  return Object.entries(fieldsOf(body)).find(([name]) => name.toLowerCase() === "buyerid")?.[1];
}

function wrongBuyer(sale: Sale): string | undefined {
  const buyer = sentBuyer(sale);
  if (typeof buyer === "string" && buyer.trim() === "") return "buyerId is empty";
  const { buyerId } = sale.invoice;
  return buyerId === undefined || BUYER.test(buyerId) ? undefined : `buyerId ${JSON.stringify(buyerId)}`;
}

const COST_CENTRE = /^(2[01]|3[0-3]|50|60):\S/;

function requiredIn({ country = "" }: Session): readonly RequiredField[] {
  return countryOf(country)?.requiredFields?.value ?? [];
}

function missingFrom({ cashier, items }: SentInvoice, field: RequiredField): string | undefined {
  if (field === "cashier") return cashier === undefined ? "cashier is missing" : undefined;
  const i = items.findIndex(({ gtin }) => gtin === undefined);
  return i < 0 ? undefined : `items[${i}].gtin is missing`;
}

/** A POS that sends the time of the sale has read its clock within this time. */
const JUST_NOW_MS = 600_000;

function wrongPosTime({ invoice, receipt }: Sale): string | undefined {
  const { dateAndTimeOfIssue: text } = invoice;
  if (text === undefined) return undefined;
  if (pairOf(invoice) !== "AdvanceSale")
    return `dateAndTimeOfIssue on ${invoice.invoiceType} ${invoice.transactionType}`;
  const [paid, signed] = [text, receipt.sdcDateTime].map((time) => printedMs(time, receipt));
  if (paid === undefined || signed === undefined) return undefined;
  return paid > signed ? `dateAndTimeOfIssue ${text}` : printedInUtc(text, signed, receipt, JUST_NOW_MS);
}

const POS_NUMBER = /^\d+\/\d+(\.\d+)*$/;

export const FIELD_RULES: readonly UntitledRule[] = [
  {
    id: "BUYER",
    source: INSTRUCTION,
    mistake: wrongBuyer,
    names: ["with a buyer", "without a buyer"],
    shows: ({ invoice }, _, name) => (invoice.buyerId !== undefined) === (name === "with a buyer"),
  },
  {
    id: "BUYER-OPTIONAL",
    source: INSTRUCTION,
    mistake: ({ invoice: { buyerCostCenterId: field } }) =>
      field === undefined || COST_CENTRE.test(field) ? undefined : `buyerCostCenterId ${JSON.stringify(field)}`,
    shows: ({ invoice }) => pairOf(invoice) === "NormalSale" && invoice.buyerCostCenterId !== undefined,
  },
  {
    id: "CASHIER",
    source: INSTRUCTION,
    mistake: ({ invoice: { cashier = "" } }) =>
      /^\d\d:/.test(cashier) && !/^10:\S/.test(cashier) ? `cashier ${cashier}` : undefined,
    shows: ({ invoice }) => invoice.cashier !== undefined,
  },
  {
    id: "COUNTRY-FIELDS",
    source: "the vendor's manual of the interface",
    applies: (session) => requiredIn(session).length > 0,
    mistake: ({ invoice }, session) =>
      requiredIn(session)
        .map((field) => missingFrom(invoice, field))
        .find((missing) => missing !== undefined),
    shows: () => true,
  },
  {
    id: "POS-TIME",
    source: INSTRUCTION,
    mistake: wrongPosTime,
    shows: ({ invoice }) => invoice.dateAndTimeOfIssue !== undefined,
  },
  {
    id: "POS-NUMBER",
    source: INSTRUCTION,
    mistake: ({ invoice: { invoiceNumber } }) =>
      invoiceNumber === undefined || POS_NUMBER.test(invoiceNumber) ? undefined : `invoiceNumber ${invoiceNumber}`,
    shows: ({ invoice }) => invoice.invoiceNumber !== undefined,
  },
];
