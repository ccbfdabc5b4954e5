/** Checks an answer: computes it again from request, status and certificate, by the rules of src/fiscal. */
import decodeQR from "qr/decode.js";
import { URL_BYTES, URL_FIELDS } from "../../emulator/tax-authority/check-sale.js";
import type { SentSale } from "../../emulator/tax-authority/read-sale.js";
import { counterExtension } from "../../src/fiscal/counters.js";
import { JOURNAL_HEADERS } from "../../src/fiscal/journal/journal.js";
import { NUMBER_FORMS } from "../../src/fiscal/journal/layout.js";
import type { ReceiptLanguage } from "../../src/fiscal/language.js";
import { isSignatureValid } from "../../src/fiscal/signature.js";
import {
  decodeVerificationUrl,
  encodeVerificationData,
  VerificationUrlError,
} from "../../src/fiscal/verification-url.js";
import { type Answer, answerJson, buildAnswer } from "../../src/fiscalizer/answer.js";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { type IntentSettings, intentOf } from "../../src/fiscalizer/make-intent.js";
import type { CertificateIdentity } from "../../src/secure-element/certificate.js";
import { type Difference, differences, show } from "../scenario/match.js";
import { type Area, NotTested } from "./case.js";
import type { Known } from "./known.js";
import { PictureError, pixelsOf } from "./pixels.js";

export interface SaleSeen {
  readonly sale: SentSale;
  /** The body that the suite received, with plain numbers. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly language: ReceiptLanguage;
  readonly known: Known;
  /** Certificate of the element that signs; undefined if the user did not give it. */
  readonly certificate: CertificateIdentity | undefined;
  readonly online: boolean;
}

/** Returns what is wrong in an answer. @throws NotTested if the suite cannot know what is right */
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

function checkParties({ sale, body, known, certificate, online }: SaleSeen): Difference[] {
  // We do not use the `uid` in the status of an online service, because we do not know what this `uid` means.
  const uid = certificate?.uid ?? (online ? "" : known.uid);
  return [
    ...differences(uid === "" ? {} : { signedBy: uid }, body),
    ...differences({ requestedBy: online ? { $not: sale.signedBy } : sale.signedBy }, body),
    ...differences(online ? {} : (certificate?.taxpayer ?? {}), body),
    // No other field may be an array or an object, because clients read such a field as tax items (protocol facts,
    // section 4).
    ...Object.entries(body)
      .filter(([name, value]) => name !== "taxItems" && typeof value === "object" && value !== null)
      .map(([path, value]) => ({ path, expected: "a text, a number or null", actual: show(value) })),
    ...differences({ tin: sale.tin }, body),
  ];
}

function checkTaxes(seen: SaleSeen): Difference[] {
  const expected = expectedAnswer(seen);
  const { body } = seen;
  return [
    ...differences({ totalAmount: expected.totalAmount, taxGroupRevision: expected.taxGroupRevision }, body),
    ...differences(byLabel(expected.taxItems), byLabel(body.taxItems), "taxItems"),
    ...extraLabels(byLabel(expected.taxItems), byLabel(body.taxItems)),
  ];
}

function extraLabels(expected: object, actual: object): Difference[] {
  return Object.entries(actual)
    .filter(([label]) => !Object.hasOwn(expected, label))
    .map(([label, item]) => ({ path: `taxItems.${label}`, expected: "nothing", actual: show(item) }));
}

/** Indexes tax items by label, because a service may send them in any order. */
function byLabel(items: unknown): Readonly<Record<string, unknown>> {
  const list = Array.isArray(items) ? (items as readonly { readonly label?: unknown }[]) : [];
  return Object.fromEntries(list.map((item) => [String(item.label), item]));
}

function checkNumbers(seen: SaleSeen): Difference[] {
  const { sale, language, body } = seen;
  const extension = counterExtension(sale.invoiceType, sale.transactionType, language);
  return differences(
    {
      invoiceNumber: `${sale.requestedBy}-${sale.signedBy}-${sale.totalCounter}`,
      invoiceCounterExtension: extension,
      invoiceCounter: `${sale.transactionTypeCounter}/${sale.totalCounter}${extension}`,
    },
    body,
  );
}

function checkUrl({ sale, known }: SaleSeen): Difference[] {
  const url = sale.verificationUrl;
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
    const actual = Object.fromEntries(URL_FIELDS.map((name) => [name, plain(decoded[name])]));
    const right = Object.fromEntries(URL_FIELDS.map((name) => [name, plain(sale[name])]));
    const isOther = (name: (typeof URL_BYTES)[number]) => !Buffer.from(decoded[name]).equals(sale[name]);
    return [
      ...rootDifferences,
      ...differences({ version: 3 }, decoded, "verificationUrl"),
      ...differences(right, actual, "verificationUrl"),
      ...URL_BYTES.filter(isOther).map((name) => ({
        path: `verificationUrl.${name}`,
        expected: `the bytes of ${name}`,
        actual: "other bytes",
      })),
      ...(decoded.hashValid === false ? [{ path: HASH, expected: hash, actual: "another hash" }] : []),
    ];
  } catch (error) {
    if (!(error instanceof VerificationUrlError)) throw error;
    return [...rootDifferences, { path: "verificationUrl", expected: "a verification URL", actual: error.message }];
  }
}

const HASH_BYTES = 16;
const HASH = "verificationUrl: MD5 hash at its end";

function base64In(url: string): string {
  const encoded = /[?&]vl=([^&#]*)/.exec(url)?.[1] ?? "";
  return encoded.replaceAll(/%2b/gi, "+").replaceAll(/%2f/gi, "/").replaceAll(/%3d/gi, "=");
}

function plain(value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

function checkSignature({ sale, certificate, online }: SaleSeen): Difference[] {
  if (!certificate) throw new NotTested("only the card's certificate proves a signature; --certificate gives it");
  const tin = online ? sale.tin : certificate.taxpayer.tin;
  if (isSignatureValid(sale, tin, certificate.publicKey)) return [];
  return [{ path: "signature", expected: `a signature of the card ${certificate.uid}`, actual: show(sale.signature) }];
}

function checkJournal(seen: SaleSeen): Difference[] {
  const { sale, known } = seen;
  if (sale.invoice.options.omitTextualRepresentation) return differences({ journal: null }, { journal: sale.journal });
  if (known.timeZone === undefined)
    throw new NotTested("environment-parameters has no time zone, which the times in the journal need");
  if (sale.journal === null) return [{ path: "journal", expected: "the text of the receipt", actual: "null" }];
  const actual = sale.journal.split("\r\n");
  // Some devices print Serbian receipts with English numbers (protocol facts, section 11).
  const numberForms = seen.language === "en-US" ? [undefined] : NUMBER_FORMS;
  const byForm = JOURNAL_HEADERS.flatMap((journalHeader) =>
    numberForms.map((numberForm) =>
      lineDifferences(String(expectedAnswer(seen, { journalHeader, numberForm }).journal), actual),
    ),
  );
  return byForm.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** We show only the first lines that differ, because a missing line shifts all later lines. */
const MOST_LINES = 3;

function lineDifferences(expected: string, actual: readonly string[]): Difference[] {
  const right = expected.split("\r\n");
  const longest = Math.max(right.length, actual.length);
  const lines = Array.from({ length: longest }, (_, i) => [right[i], actual[i]] as const);
  return lines
    .map(([wanted, line], i) => ({ path: `journal, line ${i + 1}`, expected: show(wanted), actual: show(line) }))
    .filter((difference) => difference.expected !== difference.actual)
    .slice(0, MOST_LINES);
}

function checkQrCode({ sale, body }: SaleSeen): Difference[] {
  const picture = body.verificationQRCode;
  const path = "verificationQRCode";
  if (sale.invoice.options.omitQRCodeGen) return differences({ [path]: null }, body);
  if (typeof picture !== "string") return [{ path, expected: "a picture", actual: show(picture) }];
  const { text, problem } = textIn(picture);
  if (text === sale.verificationUrl) return [];
  return [{ path, expected: `a QR code of ${show(sale.verificationUrl)}`, actual: problem ?? show(text) }];
}

/** How long the QR reader may try further ways to read a picture. */
const QR_LIMIT_MS = 1_000;

/** Reads the text of a QR code. @throws NotTested for a kind of PNG that the suite does not read */
function textIn(picture: string): { readonly text?: string; readonly problem?: string } {
  try {
    const pixels = pixelsOf(picture);
    try {
      return { text: decodeQR(pixels, { timeLimit: QR_LIMIT_MS }) };
    } catch {
      return { problem: "a picture without a readable QR code" };
    }
  } catch (error) {
    if (error instanceof PictureError) return { problem: error.message };
    throw error;
  }
}

type Form = Partial<Pick<IntentSettings, "journalHeader" | "numberForm">>;
type ExpectedAnswer = Readonly<Record<keyof Answer, unknown>> & { readonly taxItems: readonly unknown[] };

/** @throws NotTested if status shows no rates that the suite can read, or rates that do not fit the invoice */
function expectedAnswer(seen: SaleSeen, form: Form = {}): ExpectedAnswer {
  const { sale } = seen;
  const intent = expectedIntent(seen, form);
  return JSON.parse(answerJson(buildAnswer(intent, sale))) as ExpectedAnswer;
}

function expectedIntent({ sale, body, language, known, certificate, online }: SaleSeen, form: Form) {
  if (known.rates.length === 0) throw new NotTested("status shows no tax rates that the suite can read");
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
          parameters: { ...NO_PARAMETERS, country: known.country },
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
    throw new NotTested(`the rates of status do not fit this invoice: ${error.message}`);
  }
}

/** Empty parameters. The check needs parameters to make a journal, but it does not compare what they contain. */
const NO_PARAMETERS = {
  organizationName: "",
  serverTimeZone: "",
  street: "",
  city: "",
  environmentName: "",
  logo: "",
  ntpServer: "",
  endpoints: { taxpayerAdminPortal: "", taxAuthorityApi: "", vsdc: "", root: "" },
  supportedLanguages: [],
};
