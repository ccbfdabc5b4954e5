/** Writes the items of a receipt as lines of a spreadsheet. Quantities and amounts of a refund are negative. */
import { toAmountText, toFixed } from "../fiscal/money.js";
import { localIn } from "../fiscal/zoned.js";
import { contentOf } from "../ledger/receipt-content.js";
import type { StoredReceipt } from "../ledger/receipts.js";

export const ITEM_COLUMNS = [
  "number",
  "day",
  "localTime",
  "invoiceType",
  "transactionType",
  "cashier",
  "item",
  "gtin",
  "name",
  "labels",
  "quantity",
  "unitPrice",
  "totalAmount",
];

type ItemLine = Readonly<Record<string, string | number | null>>;

/**
 * The lines of a receipt; empty if only the card knows the receipt.
 * @param timeZone of the shop
 */
export function itemLines(receipt: StoredReceipt, timeZone: string | undefined): ItemLine[] {
  const { number, time } = receipt;
  const { intent } = contentOf(receipt) ?? {};
  if (!intent) return [];
  const { invoiceType, transactionType, cashier = null, items } = intent.invoice;
  const sign = transactionType === "Refund" ? -1n : 1n;
  const [day, localTime] = time === null ? [null, null] : localIn(time, timeZone);
  return items.map(({ gtin = null, name, labels, quantity, unitPrice, totalAmount }, i) => ({
    number,
    day,
    localTime,
    invoiceType,
    transactionType,
    cashier,
    item: i + 1,
    gtin,
    name,
    labels: labels.join(" "),
    quantity: toFixed(sign * quantity, 4),
    unitPrice: toAmountText(unitPrice),
    totalAmount: toAmountText(sign * totalAmount),
  }));
}
