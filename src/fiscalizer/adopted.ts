/** An invoice that only the card knows: what it says of itself, without a journal. */
import { invoiceNumber } from "../fiscal/counters.js";
import type { Language } from "../fiscal/language.js";
import { type CardSignature, joinSignAnswer } from "../fiscal/sign-answer.js";
import { decodeSignedHeader } from "../fiscal/signing-header.js";
import type { Adopted } from "../ledger/ledger.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { answerJson, answerOf } from "./answer.js";

/** What the environment says, and the card does not. */
export interface Place {
  /** The beginning of the verification URL, before the base64; "" if the service is not configured. */
  readonly root: string;
  /** Of the letters in the counter: the one in which it was sold is not known. */
  readonly language: Language;
}

/** @throws RangeError where the card's bytes are no invoice's */
export function adoptedReceipt(identity: CardIdentity, answer: CardSignature, { root, language }: Place): Adopted {
  const { totalCounter } = answer;
  const { uid, taxpayer } = identity;
  const sold = {
    ...{ uid, language, root, taxpayer, header: decodeSignedHeader(answer.header) },
    ...{ taxGroupRevision: 0, taxItems: [], mrc: "", journal: () => null },
  };
  return {
    uid,
    totalCounter,
    number: invoiceNumber(uid, uid, totalCounter),
    signature: joinSignAnswer(answer),
    answer: answerJson(answerOf(sold, answer)),
  };
}
