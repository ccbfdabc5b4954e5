/**
 * The checks of `tillseal conformance` on a receipt that tillseal did not make: a recorded one of another maker's service,
 * with its own signature, URL and journal. The suite computes with our rules; this test applies it to a foreign answer.
 */
import { createPublicKey } from "node:crypto";
import { expect, it } from "vitest";
import { AREAS, type Area } from "../../harness/conformance/case.js";
import { CHECKS, type SaleSeen } from "../../harness/conformance/check-answer.js";
import { readAnswer } from "../../harness/conformance/read-answer.js";
import { rateGroupOf } from "../../src/config/environment-schema.js";
import type { RateGroupFile } from "../../src/fiscal/environment.js";
import type { ReceiptLanguage } from "../../src/fiscal/language.js";
import { qrCode } from "../../src/fiscal/qr.js";
import { decodeVerificationUrl } from "../../src/fiscal/verification-url.js";
import { SANDBOX } from "../support/invoices.js";
import { RECORDED_RECEIPT, RECORDED_URLS, recordedKey } from "../support/recorded.js";
import { RECORDED_RECEIPTS, type RecordedReceipt } from "../support/recorded-receipts.js";

const [RECORDED] = RECORDED_URLS;
const { invoice, taxpayer, journal, answer } = RECORDED_RECEIPT;
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

const url = decodeVerificationUrl(RECORDED.url);
/** Only the picture is ours: no recording has one. */
const BODY = {
  ...answer,
  ...taxpayer,
  requestedBy: RECORDED.requestedBy,
  signedBy: RECORDED.signedBy,
  messages: "Success",
  mrc: "",
  journal,
  verificationUrl: RECORDED.url,
  verificationQRCode: qrCode(RECORDED.url, "png"),
  signature: base64(url.signature),
  encryptedInternalData: base64(url.encryptedInternalData),
};

function seen(changed: object = {}): SaleSeen {
  const body = { ...BODY, ...changed };
  const { uid, ...rest } = { uid: RECORDED.signedBy, taxpayer, publicKey: createPublicKey(recordedKey(RECORDED)) };
  return {
    sale: readAnswer(invoice, body, 0),
    language: "sr-Cyrl-RS",
    known: {
      rates: SANDBOX.taxRates,
      languages: ["sr-Cyrl-RS"],
      uid,
      root: RECORDED.url.slice(0, RECORDED.url.indexOf("?")),
      timeZone: SANDBOX.timeZone,
      country: "RS",
    },
    // The certificate was not recorded; the checks use its key and its names.
    online: false,
    certificate: { uid, ...rest } as SaleSeen["certificate"],
  };
}

/** Only the text of the receipt and what it is made of are recorded; the rest of the answer is that of the first. */
function recordedJournal({ request, journal: lines, taxpayer: shop, ...receipt }: RecordedReceipt): SaleSeen {
  const numbers = lines.at(-4)?.split(/ +/).at(-1) ?? "";
  const [requestedBy = "", signedBy = ""] = numbers.split("-");
  const body = {
    ...BODY,
    ...shop,
    requestedBy,
    signedBy,
    journal: `${lines.join("\r\n")}\r\n`,
    invoiceNumber: numbers,
    sdcDateTime: receipt.at,
  };
  const counters = { totalCounter: receipt.total, transactionTypeCounter: receipt.pair };
  const rates = receipt.rates as readonly RateGroupFile[];
  return {
    ...seen(),
    sale: readAnswer(request, { ...body, ...counters }, 0),
    language: receipt.language as ReceiptLanguage,
    known: {
      ...seen().known,
      rates: rates.map(rateGroupOf),
      timeZone: receipt.timeZone,
      country: receipt.country,
    },
    certificate: undefined,
  };
}

const deviating = (sale: SaleSeen): Area[] => AREAS.filter((area) => (CHECKS[area]?.(sale) ?? []).length > 0);

it("a recorded receipt of another maker is found correct in every area", () => {
  expect(Object.keys(CHECKS)).toHaveLength(7);
  expect(deviating(seen())).toEqual([]);
});

it.each(RECORDED_RECEIPTS.filter(({ name }) => !name.includes("2024")))(
  "a recorded receipt of another maker has the right journal: $name",
  (receipt) => {
    expect(CHECKS.Journal?.(recordedJournal(receipt))).toEqual([]);
  },
);

it("a recorded receipt of another maker may have English numbers on a Serbian receipt", () => {
  const points = journal.replaceAll(/(\d),(\d\d)/g, "$1.$2").replace(" 08.12.2020. 8:", "08.12.2020. 08:");
  expect(deviating(seen({ journal: points }))).toEqual([]);
});

it.each([
  ["a tax", { taxItems: [{ ...answer.taxItems[0], amount: 5.6528 }] }, ["Taxes"]],
  ["a line of the journal", { journal: journal.replace("5,65\r\n=", "5,66\r\n=") }, ["Journal"]],
  ["the taxpayer", { businessName: "OTHER" }, ["Answer"]],
  // The URL has its own copy of the signature, and the hash follows from it.
  ["the signature", { signature: base64(new Uint8Array(256)) }, ["Verification URL", "Signature"]],
  ["the URL", { verificationUrl: RECORDED_URLS[1].url }, ["Verification URL", "QR code"]],
])("a recorded receipt of another maker is found wrong with another %s", (_, changed, areas) => {
  expect(deviating(seen(changed))).toEqual(areas);
});

it.each([1e15, 1e20, 1e300, 1e-7, 10.00001, "many"])("an answer with the total %s gets a verdict", (totalAmount) => {
  expect(seen({ totalAmount }).sale.totalAmount).toBe(url.totalAmount);
});
