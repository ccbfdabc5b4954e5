/** Reads the sale of an answer field by field: a field that cannot be read hides no other. */

import type { EpochMs } from "../../src/base/epoch-ms.js";
import { parseScaled, type Scaled } from "../../src/fiscal/money.js";
import { parseTime } from "../../src/fiscal/time.js";
import {
  type DecodedVerificationUrl,
  decodeVerificationUrl,
  type VerificationData,
  VerificationUrlError,
} from "../../src/fiscal/verification-url.js";
import { parseJson } from "../../src/http/body.js";
import { invoiceReader } from "../../src/http/read-invoice.js";
import type { Fields } from "../scenario/json.js";
import type { InvoiceBody } from "./invoices.js";

const readInvoice = invoiceReader({ negativeItems: true });
const NO_BYTES: Uint8Array = Buffer.alloc(0);
const LAST_COUNTER = 0xffffffff;
/** A number that our reader takes. The specification shows no form for it, so a service may have another form. */
const OF_ANOTHER_FORM = { referentDocumentNumber: "UNKNOWN0-UNKNOWN0-1" };

/**
 * Reads the answer of a sale. What it lacks, or has in a wrong type, comes from its verification URL: the form of the
 * answer names it.
 * @param body the answer, with plain numbers @param now the service's time, for an answer without one
 */
export function readAnswer(request: InvoiceBody, body: Fields, now: EpochMs) {
  const { referentDocumentNumber: number } = request;
  const reference = /^(\S{8}-\S{8}-\d+)?$/.test(String(number ?? "")) ? {} : OF_ANOTHER_FORM;
  const invoice = readInvoice(parseJson(JSON.stringify({ ...request, ...reference })));
  const text = (name: string) => (typeof body[name] === "string" && body[name] !== "" ? body[name] : undefined);
  const bytes = (name: string) => (text(name) === undefined ? undefined : Buffer.from(String(body[name]), "base64"));
  const verificationUrl = text("verificationUrl") ?? "";
  const inUrl: Partial<VerificationData> = decoded(verificationUrl) ?? {};
  const signedBy = text("signedBy") ?? inUrl.signedBy ?? "";
  const totalCounter = counter(body.totalCounter) ?? inUrl.totalCounter ?? 0;
  return {
    body,
    invoice,
    invoiceType: invoice.invoiceType,
    transactionType: invoice.transactionType,
    buyerId: invoice.buyerId ?? "",
    signedBy,
    requestedBy: text("requestedBy") ?? inUrl.requestedBy ?? signedBy,
    time: parseTime(text("sdcDateTime") ?? "") ?? inUrl.time ?? now,
    totalCounter,
    transactionTypeCounter: counter(body.transactionTypeCounter) ?? inUrl.transactionTypeCounter ?? 0,
    totalAmount: scaled(body.totalAmount) ?? inUrl.totalAmount ?? 0n,
    encryptedInternalData: bytes("encryptedInternalData") ?? inUrl.encryptedInternalData ?? NO_BYTES,
    signature: bytes("signature") ?? inUrl.signature ?? NO_BYTES,
    invoiceNumber: text("invoiceNumber") ?? String(totalCounter),
    verificationUrl,
  };
}

export type ReadAnswer = ReturnType<typeof readAnswer>;

function counter(value: unknown): number | undefined {
  const digits = /^\d{1,10}$/.test(String(value)) ? Number(value) : Number.POSITIVE_INFINITY;
  return digits <= LAST_COUNTER ? digits : undefined;
}

const scaled = (value: unknown): Scaled | undefined =>
  /^-?\d{1,15}(\.\d{1,4}0*)?$/.test(String(value)) ? parseScaled(String(value)) : undefined;

/** A URL without its hash is read, too: the check of the URL names what is missing. */
function decoded(url = ""): DecodedVerificationUrl | undefined {
  const bytes = Buffer.from(base64In(url), "base64");
  for (const data of [bytes, Buffer.concat([bytes, Buffer.alloc(HASH_BYTES)])]) {
    try {
      return decodeVerificationUrl(data.toString("base64"));
    } catch (error) {
      if (!(error instanceof VerificationUrlError)) throw error;
    }
  }
  return undefined;
}

export const HASH_BYTES = 16;

export function base64In(url: string): string {
  const encoded = /[?&]vl=([^&#]*)/.exec(url)?.[1] ?? "";
  return encoded.replaceAll(/%2b/gi, "+").replaceAll(/%2f/gi, "/").replaceAll(/%3d/gi, "=");
}
