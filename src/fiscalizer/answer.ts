/** Builds the answer to an invoice from its intent and the card's signature (docs/interface.md, "Invoice response"). */
import { LosslessNumber, stringify } from "lossless-json";
import { counterExtension, invoiceCounter, invoiceNumber } from "../fiscal/counters.js";
import type { Taxpayer } from "../fiscal/invoice.js";
import { journal } from "../fiscal/journal/journal.js";
import { Layout } from "../fiscal/journal/layout.js";
import { journalTexts } from "../fiscal/journal/texts.js";
import { type Scaled, toDecimalText } from "../fiscal/money.js";
import type { CardSignature } from "../fiscal/sign-answer.js";
import type { SignedHeader } from "../fiscal/signing-header.js";
import { verificationUrl } from "../fiscal/verification-url.js";
import { toLocalIso } from "../fiscal/zoned.js";
import { type Intent, requesterOf, signedHeaderOf } from "../ledger/intent.js";
import type { StoredAnswer } from "../ledger/receipt-content.js";

/** The answer to an invoice. Its QR code is always null here: the service makes the code when a caller asks for it. */
export interface Answer extends StoredAnswer, Taxpayer {
  readonly requestedBy: string;
  readonly signedBy: string;
  readonly invoiceCounterExtension: string;
  readonly verificationQRCode: string | null;
  readonly messages: string;
  readonly encryptedInternalData: string;
  readonly signature: string;
  readonly transactionTypeCounter: number;
  readonly totalAmount: ExactNumber;
  /** The only array or object: one client reads any other as tax items (protocol facts, section 4). */
  readonly taxItems: readonly {
    readonly categoryType: number;
    readonly categoryName: string;
    readonly label: string;
    readonly rate: ExactNumber;
    readonly amount: ExactNumber;
  }[];
  readonly mrc: string;
}

/** A number that JSON keeps exactly. Only amounts of ten million millions and more need the class `LosslessNumber`. */
type ExactNumber = number | LosslessNumber;

/** A double keeps every number with at most this many digits. */
const DOUBLE_DIGITS = 15;

export function exact(value: Scaled): ExactNumber {
  const text = toDecimalText(value);
  return text.length > DOUBLE_DIGITS ? new LosslessNumber(text) : Number(text);
}

/** The parts of an answer that do not come from the card's signature. */
interface AnswerParts
  extends Pick<
    Intent,
    "uid" | "language" | "timeZone" | "root" | "taxGroupRevision" | "taxItems" | "taxpayer" | "mrc"
  > {
  readonly requestedBy: string;
  readonly header: Omit<SignedHeader, "tin">;
  readonly messages: string;
  /** Makes the text of the receipt; returns null if the receipt has none. */
  journal(numbers: Pick<Answer, "invoiceNumber" | "invoiceCounter">): string | null;
}

export function buildAnswer(intent: Intent, signature: Omit<CardSignature, "header">): Answer {
  const { uid, invoice, language, root, taxGroupRevision, taxItems, taxpayer, mrc, sdcTime, timeZone } = intent;
  const text = ({ invoiceNumber, invoiceCounter }: Pick<Answer, "invoiceNumber" | "invoiceCounter">) =>
    journal({
      invoice,
      taxpayer,
      taxItems,
      sdcTime,
      invoiceNumber,
      invoiceCounter,
      language,
      timeZone,
      header: intent.journalHeader,
      isOnline: requesterOf(intent) !== uid,
      form: intent.form,
    });
  // Name the fields one by one, here and in the journal's input: V8 does not optimise objects with spreads.
  const sold: AnswerParts = {
    uid,
    requestedBy: requesterOf(intent),
    language,
    timeZone,
    root,
    taxGroupRevision,
    taxItems,
    taxpayer,
    mrc,
    messages: journalTexts(language, Layout.of(language, intent.form)).success,
    header: signedHeaderOf(intent),
    journal: invoice.options.omitTextualRepresentation ? () => null : text,
  };
  return answerOf(sold, signature);
}

export function answerOf(sold: AnswerParts, card: Omit<CardSignature, "header">): Answer {
  const { uid, requestedBy, language, root, taxpayer } = sold;
  const { totalCounter, transactionTypeCounter, encryptedInternalData, signature } = card;
  const { time, invoiceType, transactionType, totalAmount, buyerId } = sold.header;
  const extension = counterExtension(invoiceType, transactionType, language);
  const counter = invoiceCounter(transactionTypeCounter, totalCounter, extension);
  const number = invoiceNumber(requestedBy, uid, totalCounter);
  return {
    requestedBy,
    signedBy: uid,
    sdcDateTime: toLocalIso(time, sold.timeZone),
    invoiceCounter: counter,
    invoiceCounterExtension: extension,
    invoiceNumber: number,
    verificationUrl: verificationUrl(root, {
      requestedBy,
      signedBy: uid,
      totalCounter,
      transactionTypeCounter,
      totalAmount,
      time,
      invoiceType,
      transactionType,
      buyerId,
      encryptedInternalData,
      signature,
    }),
    verificationQRCode: null,
    journal: sold.journal({ invoiceNumber: number, invoiceCounter: counter }),
    messages: sold.messages,
    encryptedInternalData: Buffer.from(encryptedInternalData).toString("base64"),
    signature: Buffer.from(signature).toString("base64"),
    totalCounter,
    transactionTypeCounter,
    totalAmount: exact(totalAmount),
    taxGroupRevision: sold.taxGroupRevision,
    taxItems: sold.taxItems.map(({ categoryType, categoryName, label, rate, amount }) => ({
      categoryType,
      categoryName,
      label,
      rate: exact(rate),
      amount: exact(amount),
    })),
    ...taxpayer,
    mrc: sold.mrc,
  };
}

/** Returns the answer as JSON with exact numbers. */
export function answerJson(answer: Answer): string {
  const { totalAmount, taxItems } = answer;
  const numbers = [totalAmount, ...taxItems.flatMap(({ rate, amount }) => [rate, amount])];
  const isPlain = numbers.every((number) => typeof number === "number");
  // Prefer `JSON.stringify`: V8 writes the whole answer at once, but lossless-json writes each field alone.
  return isPlain ? JSON.stringify(answer) : (stringify(answer) ?? "null");
}
