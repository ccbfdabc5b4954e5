/**
 * The default fields of a request's `invoice`. The sale is valid. It asks for no QR code, which takes more time than
 * the rest.
 */
export const SAMPLE_SALE = {
  cashier: "Ana",
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 100, paymentType: "Cash" }],
  options: { omitQRCodeGen: "1", omitTextualRepresentation: "0" },
  items: [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }],
};
