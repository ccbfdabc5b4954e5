/** The answer of an invoice from its intent and the card's signature (specification, "Invoice response"). */
import { LosslessNumber, stringify } from "lossless-json";
import { counterExtension, invoiceCounter, invoiceNumber } from "../fiscal/counters.js";
import { totalAmountOf } from "../fiscal/invoice.js";
import { journal } from "../fiscal/journal/journal.js";
import { type Scaled, toDecimalText } from "../fiscal/money.js";
import type { CardSignature } from "../fiscal/sign-answer.js";
import { toIso } from "../fiscal/time.js";
import { verificationUrl } from "../fiscal/verification-url.js";
import type { Intent } from "./intent.js";

/** All fields but the QR code, which follows from the verification URL and is made when it is asked for. */
export interface Answer {
  readonly requestedBy: string;
  readonly signedBy: string;
  readonly sdcDateTime: string;
  readonly invoiceCounter: string;
  readonly invoiceCounterExtension: string;
  readonly invoiceNumber: string;
  readonly verificationUrl: string;
  readonly verificationQRCode: string | null;
  readonly journal: string | null;
  readonly messages: string;
  readonly encryptedInternalData: string;
  readonly signature: string;
  readonly totalCounter: number;
  readonly transactionTypeCounter: number;
  readonly totalAmount: LosslessNumber;
  readonly taxGroupRevision: number;
  /** The only array or object: one client takes every other one for tax items (protocol facts, section 4). */
  readonly taxItems: readonly {
    readonly categoryType: number;
    readonly categoryName: string;
    readonly label: string;
    readonly rate: LosslessNumber;
    readonly amount: LosslessNumber;
  }[];
  readonly businessName: string;
  readonly tin: string;
  readonly locationName: string;
  readonly address: string;
  readonly district: string;
  readonly mrc: string;
}

export function exact(value: Scaled): LosslessNumber {
  return new LosslessNumber(toDecimalText(value));
}

export function buildAnswer(intent: Intent, signature: Omit<CardSignature, "header">): Answer {
  const { invoice, taxpayer, uid, language } = intent;
  const { totalCounter, transactionTypeCounter } = signature;
  const totalAmount = totalAmountOf(invoice.items);
  const extension = counterExtension(invoice.invoiceType, invoice.transactionType, language);
  const counter = invoiceCounter(transactionTypeCounter, totalCounter, extension);
  const number = invoiceNumber(uid, uid, totalCounter);
  const url = verificationUrl(intent.root, {
    requestedBy: uid,
    signedBy: uid,
    totalCounter,
    transactionTypeCounter,
    totalAmount,
    time: intent.sdcTime,
    invoiceType: invoice.invoiceType,
    transactionType: invoice.transactionType,
    buyerId: invoice.buyerId ?? "",
    encryptedInternalData: signature.encryptedInternalData,
    signature: signature.signature,
  });
  return {
    requestedBy: uid,
    signedBy: uid,
    sdcDateTime: toIso(intent.sdcTime),
    invoiceCounter: counter,
    invoiceCounterExtension: extension,
    invoiceNumber: number,
    verificationUrl: url,
    verificationQRCode: null,
    journal: invoice.options.omitTextualRepresentation
      ? null
      : journal({
          invoice,
          taxpayer,
          taxItems: intent.taxItems,
          sdcTime: intent.sdcTime,
          invoiceNumber: number,
          invoiceCounter: counter,
          language,
          timeZone: intent.timeZone,
          header: intent.journalHeader,
        }),
    messages: "Success",
    encryptedInternalData: Buffer.from(signature.encryptedInternalData).toString("base64"),
    signature: Buffer.from(signature.signature).toString("base64"),
    totalCounter,
    transactionTypeCounter,
    totalAmount: exact(totalAmount),
    taxGroupRevision: intent.taxGroupRevision,
    taxItems: intent.taxItems.map(({ categoryType, categoryName, label, rate, amount }) => ({
      categoryType,
      categoryName,
      label,
      rate: exact(rate),
      amount: exact(amount),
    })),
    ...taxpayer,
    mrc: intent.mrc,
  };
}

/** JSON with exact numbers. */
export function answerJson(answer: Answer): string {
  return stringify(answer) ?? "null";
}
