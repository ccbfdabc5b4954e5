/** Prepares the requests of a POS for the rules: invoices in the interface's spelling, each with its receipt. */
import type { InvoiceType, PaymentType, TransactionType } from "../../src/fiscal/invoice.js";
import { divideHalfUp } from "../../src/fiscal/money.js";
import { receiptTime, soldTime } from "../../src/fiscal/pos-time.js";
import { readPosTime } from "../../src/fiscal/time.js";
import type { SentRequest } from "../scenario/request-types.js";

export interface SentItem {
  readonly name: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly totalAmount: number;
  readonly labels: readonly string[];
  readonly gtin?: string;
}

/** A request with what only the rules read of it. */
export interface JudgedRequest extends SentRequest {
  /** Number of its span: a reset, a `given` or a snapshot begins a new one, in which receipts may be numbered anew. */
  readonly span?: number;
  /** The value of Accept-Language. */
  readonly language?: string;
  /** ms after which the caller hung up; undefined if it did not. */
  readonly hungUpAfter?: number;
}

/** The fields of an invoice that the rules read. Any field may be missing in a refused invoice. */
export interface SentInvoice {
  readonly invoiceType: InvoiceType;
  readonly transactionType: TransactionType;
  readonly invoiceNumber?: string;
  readonly cashier?: string;
  readonly buyerId?: string;
  readonly buyerCostCenterId?: string;
  readonly dateAndTimeOfIssue?: string;
  readonly referentDocumentNumber?: string;
  readonly referentDocumentDT?: string;
  readonly payment: readonly { readonly amount: number; readonly paymentType: PaymentType }[];
  readonly items: readonly SentItem[];
}

export interface SignedReceipt {
  readonly invoiceNumber: string;
  readonly sdcDateTime: string;
  readonly totalAmount: number;
  readonly tin?: string;
  readonly journal?: string;
  readonly verificationUrl?: string;
}

export interface Sale {
  readonly request: JudgedRequest;
  readonly invoice: SentInvoice;
  readonly receipt: SignedReceipt;
}

export interface Session {
  /** Code of the service's country; undefined if it is unknown. */
  readonly country?: string | undefined;
  /** All requests, oldest first. */
  readonly requests: readonly JudgedRequest[];
  readonly posted: readonly JudgedRequest[];
  readonly refused: readonly Pick<Sale, "request" | "invoice">[];
  /** Signed invoices, each only once. */
  readonly sales: readonly Sale[];
  /** Returns the sale whose receipt has this number, or undefined. */
  readonly numbered: (number: string | undefined) => Sale | undefined;
  /** The spans of a whole session; undefined in a span. */
  readonly spans?: readonly Session[];
}

/** A session of several spans. @param requests oldest first */
export function sessionOf(requests: readonly JudgedRequest[], country?: string): Session {
  const spans = new Map<number, JudgedRequest[]>([[0, []]]);
  for (const request of requests) {
    const { span = 0 } = request;
    const own = spans.get(span);
    if (own) own.push(request);
    else spans.set(span, [request]);
  }
  const judged = (own: readonly JudgedRequest[]) => ({ ...spanOf(own), country });
  return { ...judged(requests), spans: [...spans.values()].map(judged) };
}

function spanOf(requests: readonly JudgedRequest[]): Session {
  const sales = requests.flatMap((request) =>
    request.signed && isObject(request.invoice)
      ? [{ request, invoice: asInvoice(request.invoice), receipt: request.answer as SignedReceipt }]
      : [],
  );
  const byNumber = new Map(sales.map((sale) => [sale.receipt.invoiceNumber, sale]));
  return {
    requests,
    posted: requests.filter(({ method, path }) => method === "POST" && INVOICES.test(path)),
    refused: requests.flatMap((request) =>
      isObject(request.invoice) && isRefusedContent(request) ? [{ request, invoice: asInvoice(request.invoice) }] : [],
    ),
    sales,
    numbered: (number) => (number === undefined ? undefined : byNumber.get(number)),
  };
}

const INVOICES = /\/invoices\/?(\?|$)/i;

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const objectsIn = <T extends object>(list: readonly T[] | undefined): T[] =>
  Array.isArray(list) ? (list as T[]).filter(isObject) : [];

/** Makes lists of what another maker's service may accept without lists, and of objects. */
function asInvoice(invoice: object): SentInvoice {
  const { payment, items } = invoice as Partial<SentInvoice>;
  const known = {
    payment: objectsIn(payment),
    items: objectsIn(items).map((item) => ({ ...item, labels: item.labels ?? [] })),
  };
  return { ...(invoice as SentInvoice), ...known };
}

export const sentItems = (invoice: unknown): SentItem[] =>
  (isObject(invoice) ? asInvoice(invoice).items : []) as SentItem[];

export const labelsIn = (invoice: unknown): unknown[] => [
  ...new Set(sentItems(invoice).flatMap(({ labels }) => labels)),
];

export const needsOriginal = ({ invoiceType, transactionType }: SentInvoice): boolean =>
  invoiceType === "Copy" || transactionType === "Refund";

/** Says which field is missing of those that name the original; undefined if there is no original or none is missing. */
export function missingReference(invoice: unknown): string | undefined {
  if (!isObject(invoice) || !needsOriginal(invoice as SentInvoice)) return undefined;
  const { referentDocumentNumber, referentDocumentDT } = invoice as SentInvoice;
  if (referentDocumentNumber === undefined) return "referentDocumentNumber is missing";
  return referentDocumentDT === undefined ? "referentDocumentDT is missing" : undefined;
}

export function asksFor({ method, path }: SentRequest, requestId: string | null): boolean {
  const asked = /\/invoices\/?([^/?]*)(?:\/escpos)?\/?(?:\?|$)/i.exec(path)?.[1] ?? "";
  // A client may escape other characters than we, and a query never throws.
  const query = new URLSearchParams(`id=${asked.replace(/[+&]/g, encodeURIComponent)}`);
  return method === "GET" && query.get("id") === requestId;
}

/** Whether the POS has the receipt of an invoice with this RequestId. */
export const isReceived = (requestId: string | null, { requests }: Session): boolean =>
  requests.some((other) => other.status === 200 && (other.requestId === requestId || asksFor(other, requestId)));

export const pairOf = ({ invoiceType, transactionType }: SentInvoice): string => invoiceType + transactionType;

/** Codes of a wrong invoice. 2809 is about the card's certificate. */
const CONTENT = /^(2310|28(?!09)\d\d)$/;

/** Whether the service refused the invoice for its content. What the POS then changes is another sale. */
export function isRefusedContent({ status, code }: SentRequest): boolean {
  return status === 406 || status === 415 || (status >= 400 && status < 500 && CONTENT.test(code ?? ""));
}

/** Minutes by which the clock of a receipt is ahead of UTC. */
function offsetOf({ sdcDateTime }: SignedReceipt): number {
  const { printed, instant } = receiptTime(sdcDateTime);
  return Math.round((Date.parse(`${printed}Z`) - instant) / 60_000) || 0;
}

/**
 * Returns what is wrong if a time with `Z` has the digits of UTC instead of those of the POS's clock; else undefined.
 * @param shown what the clock showed, in ms as {@link printedMs}
 * @param tolerance ms between the time and `shown`
 */
export function printedInUtc(
  text: string,
  shown: number,
  receipt: SignedReceipt,
  tolerance: number,
): string | undefined {
  const digits = printedMs(text, receipt);
  const ahead = offsetOf(receipt) * 60_000;
  if (digits === undefined || ahead === 0 || !/z$/i.test(text) || Math.abs(digits + ahead - shown) >= tolerance) return;
  const [printed, clock] = [digits, digits + ahead].map((ms) => new Date(ms).toISOString().slice(11, 16));
  return `${text} is printed as ${printed}; your clock says ${clock}`;
}

/**
 * Returns what a receipt prints of a time, in ms as if its clock showed UTC; undefined if the text is not a time. The
 * digits are printed as they stand, except with another offset (protocol facts, section 4, "Times").
 */
export function printedMs(text: string | undefined, receipt: SignedReceipt): number | undefined {
  const time = text === undefined ? undefined : readPosTime(String(text));
  if (time === undefined) return undefined;
  const { instant } = soldTime(time, "UTC");
  return /[+-]\d\d:\d\d$/.test(time) ? instant + offsetOf(receipt) * 60_000 : instant;
}

const QUANTITY = 1_000n;
const PRICE = 10_000n;
const PARTS_OF_A_CENT = (QUANTITY * PRICE) / 100n;

/** A value that is not a number counts as 0: another maker's service may sign it. */
function scaled(value: number, scale: bigint): bigint {
  const rounded = Math.round(value * Number(scale));
  return Number.isFinite(rounded) ? BigInt(rounded) : 0n;
}

function exactProduct({ quantity, unitPrice }: SentItem): bigint {
  return scaled(quantity, QUANTITY) * scaled(unitPrice, PRICE);
}

/** Returns quantity times price in minor units, rounded half up. */
export function roundedProduct(item: SentItem): number {
  return Number(divideHalfUp(exactProduct(item), PARTS_OF_A_CENT));
}

/** Whether the product of quantity and price has more decimals than an amount of money. */
export function needsRounding(item: SentItem): boolean {
  return exactProduct(item) % PARTS_OF_A_CENT !== 0n;
}

export const minorUnits = (amount: number): number => Math.round(amount * 100);
