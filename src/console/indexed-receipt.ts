/** A receipt in the form that searches use: case, script and accents make no difference. */
import { totalAmountOf } from "../fiscal/invoice.js";
import { toLatin } from "../fiscal/latin.js";
import { toDecimalText } from "../fiscal/money.js";
import { normaliseLabel } from "../fiscal/tax.js";
import { toIso } from "../fiscal/time.js";
import { decodeVerificationUrl } from "../fiscal/verification-url.js";
import { decodeIntent } from "../fiscalizer/intent.js";
import type { Filter, IndexedReceipt, UnindexedReceipt } from "../ledger/receipt-index.js";

/** Makes `ХЛЕБ` and `hleb` equal, `č` and `c` too. */
export function folded(text: string): string {
  return toLatin(text).toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("đ", "dj");
}

/** @param asked as typed */
export function foldedFilter({ kind, cashier, buyer, label, payment, article }: Filter): Filter {
  return {
    kind,
    payment,
    label: normaliseLabel(label),
    cashier: folded(cashier),
    buyer: folded(buyer),
    article: folded(article),
  };
}

/** Undefined if the stored receipt is damaged. */
export function indexedReceipt({ intent, adopted }: UnindexedReceipt): IndexedReceipt | undefined {
  try {
    if (intent !== null) return ofIntent(intent);
    return adopted === null ? undefined : ofAnswer(adopted);
  } catch {
    return undefined;
  }
}

function ofIntent(json: string): IndexedReceipt {
  const { sdcTime, invoice } = decodeIntent(json);
  const { invoiceType, transactionType, cashier = "", buyerId = "", items, payment } = invoice;
  return {
    time: toIso(sdcTime),
    kind: `${invoiceType} ${transactionType}`,
    amount: toDecimalText(totalAmountOf(items)),
    cashier: folded(cashier),
    buyer: folded(buyerId),
    labels: spaced(items.flatMap(({ labels }) => labels)),
    payments: spaced(payment.map(({ paymentType }) => paymentType)),
    articles: folded(items.map(({ name, gtin = "" }) => `${name}\n${gtin}`).join("\n")),
    referent: invoice.referentDocumentNumber ?? null,
  };
}

/** The part of the receipt that the card signed. */
function ofAnswer(json: string): IndexedReceipt {
  const { verificationUrl } = JSON.parse(json) as { verificationUrl: string };
  const { time, invoiceType, transactionType, totalAmount, buyerId } = decodeVerificationUrl(verificationUrl);
  return {
    time: toIso(time),
    kind: `${invoiceType} ${transactionType}`,
    amount: toDecimalText(totalAmount),
    cashier: "",
    buyer: folded(buyerId),
    labels: "",
    payments: "",
    articles: "",
    referent: null,
  };
}

function spaced(texts: readonly string[]): string {
  return ` ${[...new Set(texts)].join(" ")} `;
}
