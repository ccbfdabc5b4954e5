/** Makes the receipt of an invoice that only the card knows from the card's repeated answer: without a journal. */
import { invoiceNumber } from "../fiscal/counters.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { RECEIPT_LANGUAGES } from "../fiscal/language.js";
import { type CardSignature, joinSignAnswer } from "../fiscal/sign-answer.js";
import { decodeSignedHeader } from "../fiscal/signing-header.js";
import type { Adopted } from "../ledger/ledger.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { answerJson, answerOf } from "./answer.js";

/** The answer's `messages`, because the receipt was not printed from this answer. */
const ADOPTED =
  "The card repeated this receipt. This store does not have its invoice, so there are no items and no text: print it from the POS";

/** @param environment has what the card does not know @throws RangeError if the card's bytes are not an invoice */
export function adoptedReceipt(
  { uid, taxpayer }: CardIdentity,
  answer: CardSignature,
  environment: FiscalEnvironment | undefined,
): Adopted {
  const { totalCounter } = answer;
  const sold = {
    uid,
    requestedBy: uid,
    language: environment?.languages[0]?.prints ?? RECEIPT_LANGUAGES[0],
    timeZone: environment?.timeZone ?? "UTC",
    root: environment?.parameters.endpoints.root ?? "",
    taxpayer,
    header: decodeSignedHeader(answer.header),
    taxGroupRevision: 0,
    taxItems: [],
    mrc: "",
    messages: ADOPTED,
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
