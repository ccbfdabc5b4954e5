/** Reads the sale in a package and checks the form of every field. check-sale.ts checks the content. */
import { isUid } from "../../src/authority/stick-files.js";
import type { Invoice } from "../../src/fiscal/invoice.js";
import { parseScaled, type Scaled } from "../../src/fiscal/money.js";
import type { TaxItem } from "../../src/fiscal/tax.js";
import { parseTime } from "../../src/fiscal/time.js";
import type { VerificationData } from "../../src/fiscal/verification-url.js";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { parseJson } from "../../src/http/body.js";
import { CallError } from "../../src/http/call-errors.js";
import { invoiceReader } from "../../src/http/read-invoice.js";
import { isObject, JsonNumber } from "../../src/schema/decimal.js";

/** The sale in a package: its result, with the types and the buyer id of its request. */
export interface SentSale extends VerificationData {
  readonly invoice: Invoice;
  readonly tin: string;
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
  readonly verificationUrl: string;
  readonly taxGroupRevision: number;
  readonly taxItems: readonly Pick<TaxItem, "label" | "categoryName" | "rate" | "amount">[];
  /** Text of the receipt; null if the service has not sent it. */
  readonly journal: string | null;
}

// Accept negative lines, because the authority does not know whether the service's settings allow them.
const readInvoice = invoiceReader({ negativeItems: true });

/** @param text JSON of an object with `request` and `result` @throws CallError 400 that names the wrong part */
export function readSale(text: string): SentSale {
  const content = read("the package", () => parseJson(text));
  const { request, result } = isObject(content) ? content : {};
  if (!isObject(request) || !isObject(result)) throw new CallError(400, "the package is not {request, result}");
  const invoice = read("request", () => readInvoice(request));
  const sent = new Result(result);
  return {
    invoice,
    invoiceType: invoice.invoiceType,
    transactionType: invoice.transactionType,
    buyerId: invoice.buyerId ?? "",
    requestedBy: sent.uid("requestedBy"),
    signedBy: sent.uid("signedBy"),
    tin: sent.text("tin"),
    time: sent.time("sdcDateTime"),
    totalCounter: sent.counter("totalCounter"),
    transactionTypeCounter: sent.counter("transactionTypeCounter"),
    totalAmount: sent.amount("totalAmount"),
    encryptedInternalData: sent.bytes("encryptedInternalData", [256, 512]),
    signature: sent.bytes("signature", [256]),
    invoiceNumber: sent.text("invoiceNumber"),
    invoiceCounter: sent.text("invoiceCounter"),
    verificationUrl: sent.text("verificationUrl"),
    taxGroupRevision: sent.counter("taxGroupRevision"),
    taxItems: sent.list("taxItems").map((item) => ({
      label: item.text("label"),
      categoryName: item.text("categoryName"),
      rate: item.amount("rate"),
      amount: item.amount("amount"),
    })),
    journal: sent.textOrNull("journal"),
  };
}

/** Reads fields of the result as the expected types. Numbers keep their original text. */
class Result {
  constructor(
    private readonly fields: Readonly<Record<string, unknown>>,
    private readonly where = "result",
  ) {}

  text(name: string): string {
    const value = this.fields[name];
    return typeof value === "string" ? value : this.wrong(name, "text");
  }

  textOrNull(name: string): string | null {
    return this.fields[name] === null || this.fields[name] === undefined ? null : this.text(name);
  }

  uid(name: string): string {
    const value = this.text(name);
    return isUid(value) ? value : this.wrong(name, "a UID");
  }

  time(name: string): number {
    return parseTime(this.text(name)) ?? this.wrong(name, "a time");
  }

  counter(name: string): number {
    const value = this.digits(name);
    const counter = /^\d+$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY;
    return counter <= 0xffffffff ? counter : this.wrong(name, "a counter");
  }

  amount(name: string): Scaled {
    return read(`${this.where}.${name}`, () => parseScaled(this.digits(name)));
  }

  bytes(name: string, lengths: readonly number[]): Uint8Array {
    const bytes = Buffer.from(this.text(name), "base64");
    return lengths.includes(bytes.length) ? bytes : this.wrong(name, `base64 of ${lengths.join(" or ")} bytes`);
  }

  list(name: string): Result[] {
    const value = this.fields[name];
    if (!Array.isArray(value) || !value.every(isObject)) return this.wrong(name, "a list");
    return value.map((item, i) => new Result(item, `${this.where}.${name}[${i}]`));
  }

  private digits(name: string): string {
    const value = this.fields[name];
    return value instanceof JsonNumber ? value.text : this.wrong(name, "a number");
  }

  private wrong(name: string, expected: string): never {
    throw new CallError(400, `${this.where}.${name} is not ${expected}`);
  }
}

function read<T>(field: string, reading: () => T): T {
  try {
    return reading();
  } catch (error) {
    if (error instanceof FiscalError || error instanceof SyntaxError || error instanceof RangeError) {
      throw new CallError(400, `${field} cannot be read: ${error.message}`);
    }
    throw error;
  }
}
