/** The normalised invoice, with the specification's names. Its amounts are exact; enumerations have one spelling. */
import type { Scaled } from "./money.js";
import type { PosTime, SoldTime } from "./pos-time.js";

/** Invoice types with their numbers on the card (protocol facts, section 2, offset 48). */
export const INVOICE_TYPES = { Normal: 0, Proforma: 1, Copy: 2, Training: 3, Advance: 4 } as const;
/** Transaction types with their numbers on the card (protocol facts, section 2, offset 49). */
export const TRANSACTION_TYPES = { Sale: 0, Refund: 1 } as const;
/** Payment types of the specification's two lists, with the numbers that clients send (protocol facts, section 4). */
export const PAYMENT_TYPES = {
  Other: 0,
  Cash: 1,
  Card: 2,
  Check: 3,
  WireTransfer: 4,
  Voucher: 5,
  MobileMoney: 6,
} as const;

export type InvoiceType = keyof typeof INVOICE_TYPES;
export type TransactionType = keyof typeof TRANSACTION_TYPES;
export type PaymentType = keyof typeof PAYMENT_TYPES;

export const INVOICE_TYPE_NAMES = Object.keys(INVOICE_TYPES) as InvoiceType[];
export const TRANSACTION_TYPE_NAMES = Object.keys(TRANSACTION_TYPES) as TransactionType[];

export interface InvoiceItem {
  readonly gtin?: string;
  readonly name: string;
  readonly quantity: Scaled;
  readonly unitPrice: Scaled;
  readonly totalAmount: Scaled;
  /** Distinct labels in upper case, in the order of the request. */
  readonly labels: readonly string[];
}

export interface Payment {
  readonly amount: Scaled;
  readonly paymentType: PaymentType;
}

export interface ReceiptKind {
  readonly invoiceType: InvoiceType;
  readonly transactionType: TransactionType;
}

export interface Invoice<Time = PosTime> extends ReceiptKind {
  /** Absent if the POS sent no time. */
  readonly dateAndTimeOfIssue?: Time;
  readonly cashier?: string;
  readonly buyerId?: string;
  readonly buyerCostCenterId?: string;
  readonly payment: readonly Payment[];
  readonly invoiceNumber?: string;
  readonly referentDocumentNumber?: string;
  readonly referentDocumentDT?: Time;
  readonly items: readonly InvoiceItem[];
  readonly options: { readonly omitQRCodeGen: boolean; readonly omitTextualRepresentation: boolean };
}

export type SoldInvoice = Invoice<SoldTime>;

/** The taxpayer whom the card's certificate names (protocol facts, section 1, "Certificate subject"). */
export interface Taxpayer {
  readonly tin: string;
  readonly businessName: string;
  readonly locationName: string;
  readonly address: string;
  readonly district: string;
}

/** Whether this type is a fiscal receipt. Copy, Proforma and Training are not (protocol facts, section 6). */
export function isFiscalReceipt(type: InvoiceType): boolean {
  return type === "Normal" || type === "Advance";
}

export function totalAmountOf(items: readonly Pick<InvoiceItem, "totalAmount">[]): Scaled {
  return items.reduce((sum, item) => sum + item.totalAmount, 0n);
}
