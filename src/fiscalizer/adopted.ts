/** An invoice that only the card knows: what it says of itself, without a journal. */

import { counterExtension, invoiceCounter, invoiceNumber } from "../fiscal/counters.js";
import type { Language } from "../fiscal/language.js";
import { type CardSignature, joinSignAnswer } from "../fiscal/sign-answer.js";
import { decodeSignedHeader } from "../fiscal/signing-header.js";
import { toIso } from "../fiscal/time.js";
import { verificationUrl } from "../fiscal/verification-url.js";
import type { Adopted } from "../ledger/ledger.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { answerJson, exact } from "./answer.js";

/** What the environment says, and the card does not. */
export interface Place {
  /** The beginning of the verification URL, before the base64; "" if the service is not configured. */
  readonly root: string;
  /** Of the letters in the counter: the one in which it was sold is not known. */
  readonly language: Language;
}

/** @throws RangeError where the card's bytes are no invoice's */
export function adoptedReceipt(identity: CardIdentity, answer: CardSignature, { root, language }: Place): Adopted {
  const { totalCounter, transactionTypeCounter } = answer;
  const { time, buyerId, invoiceType, transactionType, totalAmount } = decodeSignedHeader(answer.header);
  const { uid } = identity;
  const extension = counterExtension(invoiceType, transactionType, language);
  const number = invoiceNumber(uid, uid, totalCounter);
  const { encryptedInternalData, signature } = answer;
  return {
    uid,
    totalCounter,
    number,
    signature: joinSignAnswer(answer),
    answer: answerJson({
      requestedBy: uid,
      signedBy: uid,
      sdcDateTime: toIso(time),
      invoiceCounter: invoiceCounter(transactionTypeCounter, totalCounter, extension),
      invoiceCounterExtension: extension,
      invoiceNumber: number,
      verificationUrl: verificationUrl(root, {
        ...{ requestedBy: uid, signedBy: uid, totalCounter, transactionTypeCounter, totalAmount, time },
        ...{ invoiceType, transactionType, buyerId, encryptedInternalData, signature },
      }),
      verificationQRCode: null,
      journal: null,
      messages: "Success",
      encryptedInternalData: Buffer.from(encryptedInternalData).toString("base64"),
      signature: Buffer.from(signature).toString("base64"),
      ...{ totalCounter, transactionTypeCounter },
      totalAmount: exact(totalAmount),
      taxGroupRevision: 0,
      taxItems: [],
      ...identity.taxpayer,
      mrc: "",
    }),
  };
}
