/**
 * Prepares the requests of a POS for the rules of an approval: invoices in the interface's spelling, each with its
 * receipt.
 */
import type { InvoiceType, PaymentType, TransactionType } from "../../src/fiscal/invoice.js";
import { parseTime } from "../../src/fiscal/time.js";
import type { SentRequest } from "../scenario/request-types.js";

export interface SentItem {
  readonly name: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly totalAmount: number;
  readonly labels: readonly string[];
  readonly gtin?: string;
}

/**
 * The fields of an invoice that the rules read. If the service has not accepted the invoice, any field may be missing.
 */
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

/** The answer to a signed invoice. */
export interface SignedReceipt {
  readonly invoiceNumber: string;
  readonly sdcDateTime: string;
  readonly totalAmount: number;
  readonly tin?: string;
  readonly journal?: string;
  readonly verificationUrl?: string;
}

/** A signed invoice with its receipt. */
export interface Sale {
  readonly request: SentRequest;
  readonly invoice: SentInvoice;
  readonly receipt: SignedReceipt;
}

export interface Session {
  /** Code of the service's country; undefined if it is unknown. */
  readonly country?: string | undefined;
  /** All requests, oldest first. */
  readonly requests: readonly SentRequest[];
  /** Requests that post an invoice, signed or not. */
  readonly posted: readonly SentRequest[];
  /** Invoices that the service refused for their content. */
  readonly refused: readonly Pick<Sale, "request" | "invoice">[];
  /** Signed invoices, each only once. */
  readonly sales: readonly Sale[];
  /** Returns the sale whose receipt has this number, or undefined. */
  readonly numbered: (number: string | undefined) => Sale | undefined;
}

export function sessionOf(requests: readonly SentRequest[]): Session {
  const sales = requests.flatMap((request) =>
    request.signed && isObject(request.invoice)
      ? [{ request, invoice: asInvoice(request.invoice), receipt: request.answer as SignedReceipt }]
      : [],
  );
  const byNumber = new Map(sales.map((sale) => [sale.receipt.invoiceNumber, sale]));
  return {
    requests,
    posted: requests.filter(({ invoice }) => isObject(invoice)),
    refused: requests.flatMap((request) =>
      isObject(request.invoice) && isRefusedContent(request) ? [{ request, invoice: asInvoice(request.invoice) }] : [],
    ),
    sales,
    numbered: (number) => (number === undefined ? undefined : byNumber.get(number)),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Adds empty lists, because another maker's service may accept an invoice without lists. */
function asInvoice(invoice: object): SentInvoice {
  const { payment, items } = invoice as Partial<SentInvoice>;
  const known = {
    payment: Array.isArray(payment) ? payment : [],
    items: (Array.isArray(items) ? items : []).map((item) => ({ ...item, labels: item.labels ?? [] })),
  };
  return { ...(invoice as SentInvoice), ...known };
}

/** Returns the invoice type and the transaction type in one word, such as `NormalSale`. */
export const pairOf = ({ invoiceType, transactionType }: SentInvoice): string => invoiceType + transactionType;

/**
 * Whether the service refused the invoice for its content. The POS then has to change the invoice, and the changed
 * invoice is another sale.
 */
export function isRefusedContent({ status, code }: SentRequest): boolean {
  return status >= 400 && status < 500 && (code === "2310" || code?.startsWith("28") === true);
}

/** Returns a time in ms since the epoch, or undefined if the text is not a time. */
export const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseTime(String(text));
