/** The fifteen sample receipts that a maker of a POS hands in. */
import { INVOICE_TYPE_NAMES, TRANSACTION_TYPE_NAMES } from "../../src/fiscal/invoice.js";
import { pairOf, type Sale, type Session } from "./session.js";

/** Every pair of types with a buyer, and the Sales without a buyer. */
const KINDS = [true, false].flatMap((buyer) =>
  INVOICE_TYPE_NAMES.flatMap((type) =>
    TRANSACTION_TYPE_NAMES.filter((kind) => buyer || kind === "Sale").map((kind) => ({ type, kind, buyer })),
  ),
);

/** Returns the name of each kind, such as `Normal Sale with a buyer`, and its newest sale, if there is one yet. */
export const samplesOf = ({ sales }: Session): [name: string, sale: Sale | undefined][] =>
  KINDS.map(({ type, kind, buyer }) => [
    `${type} ${kind} ${buyer ? "with" : "without"} a buyer`,
    sales.findLast(({ invoice }) => pairOf(invoice) === type + kind && (invoice.buyerId !== undefined) === buyer),
  ]);
