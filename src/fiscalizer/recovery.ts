/** After a crash or a lost card: what has the card signed that the store does not have? (design, "never", 1) */
import { invoiceNumber } from "../fiscal/counters.js";
import { totalAmountOf } from "../fiscal/invoice.js";
import { encodeSignedHeader } from "../fiscal/signature.js";
import type { CardSignature, SecureElement } from "../secure-element/secure-element.js";
import type { Completion, InvoiceStore, StoredInvoice } from "../store/invoice-store.js";
import { answerJson, buildAnswer } from "./answer.js";
import { decodeIntent, type Intent } from "./intent.js";

/** What is written, in one commit, when the signature is there. */
export function completionOf(intent: Intent, signature: CardSignature): Completion {
  const { header, transactionTypeCounter, totalCounter, encryptedInternalData } = signature;
  const counters = Buffer.alloc(8);
  counters.writeUInt32BE(transactionTypeCounter, 0);
  counters.writeUInt32BE(totalCounter, 4);
  return {
    totalCounter,
    number: invoiceNumber(intent.uid, intent.uid, totalCounter),
    signature: Buffer.concat([header, counters, encryptedInternalData, signature.signature]),
    answer: answerJson(buildAnswer(intent, signature)),
  };
}

/**
 * Asks the card for its last invoice and settles every open intent of that card: the one that the card has signed is
 * completed, the others were never signed. Where the card does not tell, they stay open and the
 * counter of the next signature decides.
 */
export async function settleOpenIntents(secureElement: SecureElement, store: InvoiceStore, uid: string): Promise<void> {
  const open = store.openIntents(uid);
  if (open.length === 0) return;
  const last = await secureElement.lastSigned(uid);
  if (last.outcome === "nothing-signed") return abandonAll(store, open);
  if (last.outcome !== "signed") return;
  const { signature } = last;
  const stored = store.last(uid)?.totalCounter ?? undefined;
  // An invoice that is stored already can have the same header: same amount in the same millisecond.
  const isNew = stored === undefined || signature.totalCounter > stored;
  const signed = isNew ? open.find((candidate) => isOf(candidate, signature)) : undefined;
  if (signed) {
    const others = open.filter((candidate) => candidate !== signed).map(({ id }) => id);
    store.complete(signed.id, completionOf(decodeIntent(signed.intent), signature), { abandon: others });
  } else if (stored !== undefined && signature.totalCounter > stored + 1) {
    // Somebody else has used the card since: ours may be among what it has signed before that.
    for (const { id } of open) store.lose(id);
  } else {
    abandonAll(store, open);
  }
}

function abandonAll(store: InvoiceStore, open: readonly StoredInvoice[]): void {
  for (const { id } of open) store.abandon(id);
}

/** The card repeats the 57 bytes that it was asked to sign; the time in them makes them one invoice's. */
function isOf(stored: StoredInvoice, signature: CardSignature): boolean {
  const { invoice, taxpayer, sdcTime } = decodeIntent(stored.intent);
  const header = encodeSignedHeader({
    time: sdcTime,
    tin: taxpayer.tin,
    buyerId: invoice.buyerId ?? "",
    invoiceType: invoice.invoiceType,
    transactionType: invoice.transactionType,
    totalAmount: totalAmountOf(invoice.items),
  });
  return Buffer.from(header).equals(signature.header);
}
