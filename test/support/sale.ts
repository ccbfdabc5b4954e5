/** An invoice of a POS. */
export const JSON_HEADERS = { Accept: "application/json", "Content-Type": "application/json" };

/** An invoice that every fixture environment with label A (or Cyrillic А) accepts. */
export function sale(overrides: object = {}): object {
  return {
    cashier: "Cashier 1",
    invoiceType: "Normal",
    transactionType: "Sale",
    payment: [{ amount: 100, paymentType: "Cash" }],
    items: [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }],
    ...overrides,
  };
}

/** One of something. */
export const item = (name: string, unitPrice: number, label = "A") => ({
  name,
  quantity: 1,
  unitPrice,
  labels: [label],
  totalAmount: unitPrice,
});
