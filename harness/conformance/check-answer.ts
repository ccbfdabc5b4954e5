/** Checks an answer: computes it again from request, status and certificate, by the rules of src/fiscal. */
import decodeQR from "qr/decode.js";
import { type Difference, differences, show } from "../../emulator/faults/match.js";
import { URL_BYTES, URL_FIELDS } from "../../emulator/tax-authority/check-sale.js";
import { counterExtension } from "../../src/fiscal/counters.js";
import { JOURNAL_HEADERS } from "../../src/fiscal/journal/journal.js";
import { NUMBER_FORMS } from "../../src/fiscal/journal/layout.js";
import type { ReceiptLanguage } from "../../src/fiscal/language.js";
import { isSignatureValid } from "../../src/fiscal/signature.js";
import {
  decodeVerificationUrl,
  encodeVerificationData,
  type VerificationData,
  VerificationUrlError,
} from "../../src/fiscal/verification-url.js";
import { type Answer, answerJson, buildAnswer } from "../../src/fiscalizer/answer.js";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { type IntentSettings, intentOf } from "../../src/fiscalizer/make-intent.js";
import type { Fields } from "../scenario/json.js";
import { NotApplicable } from "../scenario/stage.js";
import type { Area } from "./case.js";
import type { Known } from "./known.js";
import { PictureError, pixelsOf } from "./pixels.js";
import { base64In, HASH_BYTES, type ReadAnswer } from "./read-answer.js";
import type { SessionOptions } from "./session.js";

export interface SaleSeen extends Pick<SessionOptions, "certificate" | "online"> {
  readonly sale: ReadAnswer;
  readonly language: ReceiptLanguage;
  readonly known: Known;
}

/** Returns what is wrong in an answer. @throws NotApplicable if the suite cannot know what is right */
export type AnswerCheck = (seen: SaleSeen) => Difference[];

/** The checks of one answer, by area. The order of counters needs several answers: Seller (sales.ts) checks it. */
export const CHECKS: Readonly<Partial<Record<Area, AnswerCheck>>> = {
  Answer: checkParties,
  Taxes: checkTaxes,
  Counters: checkNumbers,
  "Verification URL": checkUrl,
  Signature: checkSignature,
  Journal: checkJournal,
  "QR code": checkQrCode,
};

const TAXPAYER = ["tin", "businessName", "locationName", "address", "district"] as const;

function checkParties({ sale, known, certificate, online }: SaleSeen): Difference[] {
  const { body } = sale;
  // We do not use the `uid` in the status of an online service, because we do not know what this `uid` means.
  const uid = certificate?.uid ?? (online ? "" : known.uid);
  return [
    ...differences(uid === "" ? {} : { signedBy: uid }, body),
    ...given({ requestedBy: online ? { $not: sale.signedBy } : sale.signedBy }, body),
    ...differences(online ? {} : (certificate?.taxpayer ?? {}), body),
    // No other field may be an array or an object, because clients read such a field as tax items (protocol facts,
    // section 4).
    ...Object.entries(body)
      .filter(([name, value]) => name !== "taxItems" && typeof value === "object" && value !== null)
      .map(([path, value]) => ({ path, expected: "a text, a number or null", actual: show(value) })),
  ];
}

/** Compares the fields that the answer has: the form of the answer names those that it must have. */
function given(expected: object, body: Fields): Difference[] {
  return differences(Object.fromEntries(Object.entries(expected).filter(([name]) => name in body)), body);
}

function checkTaxes(seen: SaleSeen): Difference[] {
  const { totalAmount, taxGroupRevision, taxItems } = expectedAnswer(seen);
  const { body } = seen.sale;
  const amounts = differences({ totalAmount, taxGroupRevision }, body);
  if (body.taxItems === undefined) return amounts;
  const actual = byLabel(body.taxItems);
  const unexpected = Object.fromEntries(Object.keys(actual).map((label) => [label, undefined]));
  return [...amounts, ...differences({ ...unexpected, ...byLabel(taxItems) }, actual, "taxItems")];
}

/** Indexes tax items by label, because a service may send them in any order. */
function byLabel(items: unknown): Readonly<Record<string, unknown>> {
  const list = Array.isArray(items) ? (items as readonly { readonly label?: unknown }[]) : [];
  return Object.fromEntries(list.map((item) => [String(item.label), item]));
}

function checkNumbers(seen: SaleSeen): Difference[] {
  const { sale, language } = seen;
  const extension = counterExtension(sale.invoiceType, sale.transactionType, language);
  return given(
    {
      invoiceNumber: `${sale.requestedBy}-${sale.signedBy}-${sale.totalCounter}`,
      invoiceCounterExtension: extension,
      invoiceCounter: `${sale.transactionTypeCounter}/${sale.totalCounter}${extension}`,
    },
    sale.body,
  );
}

function checkUrl({ sale, known }: SaleSeen): Difference[] {
  const url = sale.verificationUrl;
  if (!/[?&]vl=/.test(url))
    throw new NotApplicable("deployed services put the data of the sale behind vl= in this address");
  const root = known.root === undefined || url.startsWith(known.root);
  const rootDifferences: Difference[] = root
    ? []
    : [{ path: "verificationUrl", expected: `an address that begins with ${known.root}`, actual: show(url) }];
  const expected = Buffer.from(encodeVerificationData(sale));
  const hash = expected.subarray(-HASH_BYTES).toString("hex");
  const lacksHash = base64In(url) === expected.subarray(0, -HASH_BYTES).toString("base64");
  if (lacksHash) return [...rootDifferences, { path: HASH, expected: hash, actual: "nothing" }];
  try {
    const decoded = decodeVerificationUrl(url);
    const names = [...URL_FIELDS, ...URL_BYTES];
    const plainIn = (data: VerificationData) => Object.fromEntries(names.map((name) => [name, plain(data[name])]));
    return [
      ...rootDifferences,
      ...differences(
        { version: 3, ...plainIn(sale) },
        { version: decoded.version, ...plainIn(decoded) },
        "verificationUrl",
      ),
      ...(decoded.hashValid === false ? [{ path: HASH, expected: hash, actual: "another hash" }] : []),
    ];
  } catch (error) {
    if (!(error instanceof VerificationUrlError)) throw error;
    return [...rootDifferences, { path: "verificationUrl", expected: "a verification URL", actual: error.message }];
  }
}

const HASH = "verificationUrl: MD5 hash at its end";

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return typeof value === "bigint" ? value.toString() : value;
}

function checkSignature({ sale, certificate, online }: SaleSeen): Difference[] {
  if (!certificate) throw new NotApplicable("only the card's certificate proves a signature; --certificate gives it");
  const tin = online ? String(sale.body.tin) : certificate.taxpayer.tin;
  if (isSignatureValid(sale, tin, certificate.publicKey)) return [];
  return [{ path: "signature", expected: `a signature of the card ${certificate.uid}`, actual: show(sale.signature) }];
}

function checkJournal(seen: SaleSeen): Difference[] {
  const { sale, known } = seen;
  const { journal } = sale.body;
  if (sale.invoice.options.omitTextualRepresentation) return omitted("journal", sale.body);
  if (typeof journal !== "string" || !journal.includes("\n"))
    return [{ path: "journal", expected: "the text of the receipt, in several lines", actual: show(journal) }];
  if (!/={10}/.test(journal)) throw new NotApplicable("the journal has another form than that of deployed services");
  if (known.timeZone === undefined)
    throw new NotApplicable("environment-parameters has no time zone, which the times in the journal need");
  const actual = journal.split("\r\n");
  // Some devices print Serbian receipts with English numbers (protocol facts, section 11).
  const numberForms = seen.language === "en-US" ? [undefined] : NUMBER_FORMS;
  const byForm = JOURNAL_HEADERS.flatMap((journalHeader) =>
    numberForms.map((numberForm) => lineDifferences(expectedAnswer(seen, { journalHeader, numberForm }), actual)),
  );
  return byForm.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** We show only the first lines that differ, because a missing line shifts all later lines. */
const MOST_LINES = 3;

/** No sample shows how the rate of an amount for each unit is printed, so a percent sign behind it is right, too. */
const withPercent = (line = "") => line.replace(/ ([\d.,]+)( +[\d.,]+)$/, "$1%$2");

/** Whether an answer has no value for a field that the invoice asked to leave out. The specification shows no form. */
function omitted(name: string, { [name]: value }: Fields): Difference[] {
  return value === undefined || value === "" ? [] : differences({ [name]: null }, { [name]: value });
}

function lineDifferences({ journal, taxItems }: ExpectedAnswer, actual: readonly string[]): Difference[] {
  const right = String(journal).split("\r\n");
  const perUnit = taxItems.filter(({ categoryType }) => categoryType === 2).map(({ label }) => label);
  const longest = Math.max(right.length, actual.length);
  const lines = Array.from({ length: longest }, (_, i) => {
    const [wanted, line] = [right[i], actual[i]];
    const isPerUnit = perUnit.some((label) => wanted?.startsWith(`${label} `));
    if (wanted === line || (isPerUnit && withPercent(wanted) === line)) return [];
    return { path: `journal, line ${i + 1}`, expected: show(wanted), actual: show(line) };
  });
  return lines.flat().slice(0, MOST_LINES);
}

function checkQrCode({ sale }: SaleSeen): Difference[] {
  const picture = sale.body.verificationQRCode;
  const path = "verificationQRCode";
  if (sale.invoice.options.omitQRCodeGen) return omitted(path, sale.body);
  if (typeof picture !== "string") return [{ path, expected: "a picture", actual: show(picture) }];
  const expected = `a QR code of ${show(sale.verificationUrl)}`;
  try {
    const text = decodeQR(pixelsOf(picture), { timeLimit: QR_LIMIT_MS });
    return text === sale.verificationUrl ? [] : [{ path, expected, actual: show(text) }];
  } catch (error) {
    const actual = error instanceof PictureError ? error.message : "a picture without a readable QR code";
    return [{ path, expected, actual }];
  }
}

/** How long the QR reader may try further ways to read a picture. */
const QR_LIMIT_MS = 1_000;

type Form = Partial<Pick<IntentSettings, "journalHeader" | "numberForm">>;
type ExpectedAnswer = Readonly<Record<keyof Answer, unknown>> & Pick<Answer, "taxItems">;

/** @throws NotApplicable if status shows no rates that the suite can read, or rates that do not fit the invoice */
function expectedAnswer(seen: SaleSeen, form: Form = {}): ExpectedAnswer {
  return JSON.parse(answerJson(buildAnswer(expectedIntent(seen, form), seen.sale))) as ExpectedAnswer;
}

function expectedIntent({ sale, language, known, certificate, online }: SaleSeen, form: Form) {
  const { body } = sale;
  if (known.rates.length === 0) throw new NotApplicable("status shows no tax rates that the suite can read");
  const received = Object.fromEntries(TAXPAYER.map((name) => [name, String(body[name] ?? "")]));
  const taxpayer =
    (online ? undefined : certificate?.taxpayer) ?? (received as Record<(typeof TAXPAYER)[number], string>);
  try {
    return intentOf(
      {
        invoice: sale.invoice,
        language,
        root: known.root ?? "",
        requester: { uid: sale.requestedBy, taxpayer },
      },
      {
        identity: { uid: sale.signedBy, taxpayer },
        environment: {
          parameters: { country: known.country, endpoints: { root: "" } },
          timeZone: known.timeZone ?? "UTC",
          languages: [],
          taxRates: known.rates,
        },
        stored: () => undefined,
        now: sale.time,
      },
      {
        journalHeader: undefined,
        numberForm: undefined,
        ...form,
        answerForm: "specification",
        requireReferentTime: false,
        mrc: String(body.mrc ?? ""),
      },
    );
  } catch (error) {
    if (!(error instanceof FiscalError)) throw error;
    throw new NotApplicable(`the rates of status do not fit this invoice: ${error.message}`);
  }
}
