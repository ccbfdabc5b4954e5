/** Answers requests for one receipt: with all its details, or as bytes for a printer. */
import { toIso } from "../fiscal/time.js";
import type { CallHandler, EndpointCall } from "../http/endpoint-router.js";
import { HttpError } from "../http/errors.js";
import { sendEscPos } from "../http/escpos.js";
import type { ReceiptIndex } from "../ledger/receipt-index.js";
import type { Receipts, StoredReceipt } from "../ledger/receipts.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { receiptDetail } from "./receipt-detail.js";
import { caughtUp } from "./receipt-search.js";

/** Maximum number of refunds and copies that are shown with a receipt. */
const MOST_FOLLOWERS = 20;

export function getReceipt(receipts: Receipts, index: ReceiptIndex, secureElement: SecureElement): CallHandler {
  return async (call) => {
    const receipt = receiptOf(receipts, call);
    const reading = await caughtUp(index);
    const ids = receipt.number === null ? [] : index.referringTo(receipt.number, MOST_FOLLOWERS);
    const followers = { rows: receipts.rows(ids).reverse(), reading };
    return { ...receiptDetail(receipt, secureElement.state, receipts), followers };
  };
}

export function getEscPos(receipts: Receipts): CallHandler {
  return (call) => {
    const { state, intact, intent, answer } = receiptOf(receipts, call);
    if (state !== "complete" || !intact || answer === null) {
      throw new HttpError(404, "id", intact ? "This receipt has no text to print" : "This receipt is damaged");
    }
    sendEscPos(call.request, call.response, intent, answer);
  };
}

function receiptOf(receipts: Receipts, { params: { id: asked = "" } }: EndpointCall): StoredReceipt {
  const id = /^\d{1,15}$/.test(asked) ? Number(asked) : receipts.numbered(asked)?.id;
  const receipt = id === undefined ? undefined : receipts.byId(id);
  if (!receipt) throw new HttpError(404, "id", whyNot(receipts, Number(asked)));
  return receipt;
}

function whyNot(receipts: Receipts, id: number): string {
  const erasedAt = Number.isSafeInteger(id) ? receipts.erasedAt(id) : undefined;
  if (erasedAt === undefined) return "There is no such receipt in this store";
  return `This receipt was erased on ${toIso(erasedAt)}`;
}
