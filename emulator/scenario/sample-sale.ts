/** The default fields of a request's `invoice`: valid, and without a QR code, which takes more time than the rest of a sale. */
export const SAMPLE_SALE = {
  cashier: "Ana",
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 100, paymentType: "Cash" }],
  options: { omitQRCodeGen: "1", omitTextualRepresentation: "0" },
  items: [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }],
};
