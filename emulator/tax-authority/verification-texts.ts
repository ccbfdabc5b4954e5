/** The texts of the verification page. The code makes the Latin texts from the Cyrillic texts. */
import { fill } from "../../src/base/fill.js";
import type { InvoiceType, TransactionType } from "../../src/fiscal/invoice.js";
import type { ReceiptLanguage } from "../../src/fiscal/language.js";
import { inLatin, toLatin } from "../../src/fiscal/latin.js";
import type { VerificationUrlError, VerificationUrlProblem } from "../../src/fiscal/verification-url.js";

const ENGLISH = {
  authority: "Emulated tax authority",
  valid: "This receipt is valid",
  invalid: "This receipt is invalid",
  notAReceipt: "Not a receipt",
  receipt: "Receipt",
  invoice: "Invoice",
  checks: "Checks",
  taxpayer: "Taxpayer",
  notRegistered: "not registered here",
  number: "Number",
  signer: "Signed by",
  onlineService: "the online service {uid}",
  type: "Type",
  totalAmount: "Total amount",
  time: "Time",
  buyer: "Buyer",
  counters: "Counters",
  hash: "Hash",
  noHash: "none in this version",
  signature: "Signature",
  notChecked: "not checked, the card is not known here",
  internalData: "Internal data",
  right: "right",
  wrong: "wrong",
};

/** The names of the types are in English already. */
export type VerificationTexts = Readonly<
  Record<keyof typeof ENGLISH, string> & Partial<Record<InvoiceType | TransactionType, string>>
>;

/** The invoice and transaction types have the words that receipts print (protocol facts, section 6). */
const SERBIAN: Required<VerificationTexts> = {
  authority: "Емулирана пореска управа",
  valid: "Овај рачун је исправан",
  invalid: "Овај рачун није исправан",
  notAReceipt: "Ово није рачун",
  receipt: "Рачун",
  invoice: "Подаци о рачуну",
  checks: "Провере",
  taxpayer: "Обвезник",
  notRegistered: "овде није регистрован",
  number: "ПФР број рачуна",
  signer: "Потписао",
  onlineService: "онлајн сервис {uid}",
  type: "Врста",
  totalAmount: "Укупан износ",
  time: "ПФР време",
  buyer: "ИД купца",
  counters: "Бројач рачуна",
  hash: "Хеш",
  noHash: "нема га у овој верзији",
  signature: "Потпис",
  notChecked: "није проверен, картица овде није позната",
  internalData: "Интерни подаци",
  right: "исправно",
  wrong: "погрешно",
  Normal: "Промет",
  Proforma: "Предрачун",
  Copy: "Копија",
  Training: "Обука",
  Advance: "Аванс",
  Sale: "Продаја",
  Refund: "Рефундација",
};

/** `message` is in English; `values` are those in it. */
export interface BrokenAddress extends Pick<VerificationUrlError, "message" | "values"> {
  readonly problem: VerificationUrlProblem | "noParameter";
}

/** The Serbian texts for a wrong address. In English the page shows the error's message. */
const BROKEN: Readonly<Record<BrokenAddress["problem"], string>> = {
  noParameter: "адреса нема параметар vl, који има QR код рачуна",
  percentEncoding: "параметар vl није исправно кодиран (percent-encoding)",
  noBase64: "нема base64 података: очекује се адреса са ?vl=… или сам base64 текст",
  tooShort: "адреса је одсечена; бајтова: {length}",
  unknownVersion: "непозната верзија {version}",
  unknownType: "непозната врста рачуна {invoice} или трансакције {transaction}",
  badTime: "{time} ms је време ван календара",
  longBuyerId: "ИД купца је предугачак; бајтова: {length}",
  wrongLength: "адреса је одсечена или оштећена; бајтова: {length}",
};

/** Returns the text for a wrong address in the language of the page. */
export function brokenAddressText(language: ReceiptLanguage, { problem, message, values }: BrokenAddress): string {
  if (language === "en-US") return message;
  const serbian = fill(BROKEN[problem], values);
  return language === "sr-Cyrl-RS" ? serbian : toLatin(serbian);
}

export const VERIFICATION_TEXTS: Readonly<Record<ReceiptLanguage, VerificationTexts>> = {
  "en-US": ENGLISH,
  "sr-Cyrl-RS": SERBIAN,
  "sr-Latn-RS": inLatin(SERBIAN),
};
