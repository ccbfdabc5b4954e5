/**
 * Makes the receipt of an invoice that only the card knows, from the answer that the card repeats. It has no journal.
 */
import { invoiceNumber } from "../fiscal/counters.js";
import type { ReceiptLanguage } from "../fiscal/language.js";
import { type CardSignature, joinSignAnswer } from "../fiscal/sign-answer.js";
import { decodeSignedHeader } from "../fiscal/signing-header.js";
import type { Adopted } from "../ledger/ledger.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { answerJson, answerOf } from "./answer.js";

/** Values of a receipt that come from the environment, because the card does not have them. */
export interface ReceiptContext {
  /** The beginning of the verification URL, before the base64; "" if the service is not configured. */
  readonly root: string;
  /** Language of the letters in the counter; the language of the sale is not known. */
  readonly language: ReceiptLanguage;
  readonly timeZone: string;
}

/** @throws RangeError if the card's bytes are not an invoice */
export function adoptedReceipt(
  identity: CardIdentity,
  answer: CardSignature,
  { root, language, timeZone }: ReceiptContext,
): Adopted {
  const { totalCounter } = answer;
  const { uid, taxpayer } = identity;
  const sold = {
    uid,
    requestedBy: uid,
    language,
    timeZone,
    root,
    taxpayer,
    header: decodeSignedHeader(answer.header),
    taxGroupRevision: 0,
    taxItems: [],
    mrc: "",
    messages: "Success",
    journal: () => null,
  };
  return {
    uid,
    totalCounter,
    number: invoiceNumber(uid, uid, totalCounter),
    signature: joinSignAnswer(answer),
    answer: answerJson(answerOf(sold, answer)),
  };
}
