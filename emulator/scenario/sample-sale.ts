/** The sale that `invoice` of a request begins with: valid, and without a QR code, which costs more time than all the rest. */
export const SAMPLE_SALE = {
  cashier: "Ana",
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 100, paymentType: "Cash" }],
  options: { omitQRCodeGen: "1", omitTextualRepresentation: "0" },
  items: [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }],
};
