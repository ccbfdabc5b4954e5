/** Makes the bytes that the card signs from an intent, and reads the card's last answer from the ledger. */
import { totalAmountOf } from "../fiscal/invoice.js";
import { encodeSignedHeader, type SignedHeader } from "../fiscal/signing-header.js";
import { decodeIntent, type Intent } from "../ledger/intent.js";
import type { Entry } from "../ledger/ledger.js";
import { hex } from "./card-answer.js";
import type { CardFacts } from "./protocol/state.js";

/** Returns the bytes that the ledger has of the card's last invoice. */
export function lastAnswer(
  last: Entry | undefined,
  lastCounter: number,
): Pick<CardFacts, "lastBytes" | "lastUnproven"> {
  // A damaged entry does not show what the card answered.
  if (!last?.intact || last.totalCounter !== lastCounter || !last.signature) return { lastBytes: undefined };
  const bytes = hex(last.signature);
  if (last.state !== "unproven") return { lastBytes: bytes };
  const isOfThisSale = last.intent !== null && bytes.startsWith(hex(headerOf(decodeIntent(last.intent))));
  return { lastBytes: undefined, lastUnproven: isOfThisSale ? bytes : undefined };
}

/** Returns the 57 bytes that the card is to sign. */
export function headerOf(intent: Intent): Uint8Array {
  return encodeSignedHeader(signedHeaderOf(intent));
}

export function signedHeaderOf({ invoice, taxpayer, sdcTime }: Intent): SignedHeader {
  return {
    time: sdcTime,
    tin: taxpayer.tin,
    buyerId: invoice.buyerId ?? "",
    invoiceType: invoice.invoiceType,
    transactionType: invoice.transactionType,
    totalAmount: totalAmountOf(invoice.items),
  };
}
