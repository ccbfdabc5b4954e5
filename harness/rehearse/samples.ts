/** The fifteen sample receipts that a maker of a POS hands in. */
import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../src/fiscal/invoice.js";
import type { Sale, Session } from "./session.js";

interface SampleKind {
  readonly type: string;
  readonly transaction: string;
  readonly buyer: boolean;
}

export interface Sample {
  /** Name of the kind of receipt, such as `Normal Sale with a buyer`. */
  readonly name: string;
  /** The newest sale of this kind; undefined if there is no such sale yet. */
  readonly sale: Sale | undefined;
}

const WITH_BUYER: readonly SampleKind[] = INVOICE_TYPE_NAMES.flatMap((type) =>
  TRANSACTION_TYPE_NAMES.map((transaction) => ({ type, transaction, buyer: true })),
);
const WITHOUT: readonly SampleKind[] = INVOICE_TYPE_NAMES.map((type) => ({ type, transaction: "Sale", buyer: false }));

export function samplesOf({ sales }: Session): Sample[] {
  return [...WITH_BUYER, ...WITHOUT].map(({ type, transaction, buyer }) => ({
    name: `${type} ${transaction} ${buyer ? "with" : "without"} a buyer`,
    sale: sales.findLast(
      ({ invoice }) =>
        invoice.invoiceType === type &&
        invoice.transactionType === transaction &&
        (invoice.buyerId !== undefined) === buyer,
    ),
  }));
}
