/**
 * Answers the console's requests for lists of receipts: the newest receipts, the receipts of a period, and search
 * results.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Request } from "express";
import { messageOf } from "../base/thrown.js";
import { KINDS } from "../fiscal/counters.js";
import { PAYMENT_TYPES } from "../fiscal/invoice.js";
import { normaliseLabel } from "../fiscal/tax.js";
import type { CallHandler } from "../http/endpoint-router.js";
import { HttpError } from "../http/errors.js";
import { ALWAYS } from "../ledger/period.js";
import type { Filter, ReceiptIndex } from "../ledger/receipt-index.js";
import type { ReceiptRow } from "../ledger/receipt-row.js";
import type { Receipts } from "../ledger/receipts.js";
import { limitOf, MOST, periodOf, soughtOf, text, understoodOf } from "./receipt-query.js";
import type { IndexProgressRecord, ReceiptListRecord } from "./records/receipts.js";

/** Receipts that are indexed later are in the answer to the next request. */
const INDEX_LIMIT_MS = 1_000;

const ANY: Filter = { kind: "", label: "", payment: "" };

/** Answers with a list of receipts. The query has `search`, `from`, `to` and `limit`, and the filters of {@link Filter}. */
export function getReceipts(receipts: Receipts, index: ReceiptIndex): CallHandler {
  return async ({ request, response }): Promise<ReceiptListRecord> => {
    const limit = limitOf(request);
    const search = text(request, "search").trim();
    const period = periodOf(request);
    const filter = filterOf(request);
    const sought = search === "" ? undefined : soughtOf(search);
    const wanted = { sought, period, limit: limit + 1 };
    let reading: IndexProgressRecord | null = null;
    let rows: ReceiptRow[];
    if (filter || sought) {
      // A number, an amount or a RequestId is also found while the index is being read, or cannot be read.
      const exact = sought && !filter ? receipts.find(sought, period, limit + 1) : [];
      try {
        reading = await caughtUp(index);
        const ids = await index.find(filter ?? ANY, wanted, () => !response.closed);
        rows = merged(exact, receipts.rows(ids)).slice(0, limit + 1);
      } catch (error) {
        if (exact.length === 0) throw error;
        rows = exact;
      }
    } else rows = period === ALWAYS ? receipts.latest(limit + 1) : receipts.during(period, limit + 1);
    return {
      receipts: rows.slice(0, limit),
      more: rows.length > limit && limit < MOST,
      reading,
      empty: rows.length === 0 && receipts.latest(1).length === 0,
      understood: sought ? understoodOf(sought) : null,
    };
  };
}

/** Exact matches first, then the newest of both. */
function merged(exact: readonly ReceiptRow[], others: readonly ReceiptRow[]): ReceiptRow[] {
  const known = new Set(exact.map(({ id }) => id));
  return [...exact, ...others.filter(({ id }) => !known.has(id))];
}

/**
 * Waits a moment for the index.
 * @returns progress of the index; null if the index is complete
 * @throws HttpError if the index cannot be read or written
 */
export async function caughtUp(index: ReceiptIndex): Promise<IndexProgressRecord | null> {
  const reading = index.catchUp();
  // A later failure needs no handler here: indexing continues after this request, and the next request reports the
  // failure.
  reading.catch(() => undefined);
  const patience = new AbortController();
  try {
    await Promise.race([
      reading,
      sleep(INDEX_LIMIT_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined),
    ]);
    return index.progress() ?? null;
  } catch (error) {
    const reason = messageOf(error);
    throw new HttpError(503, "index", `The index of receipts cannot be read or written: ${reason}`);
  } finally {
    patience.abort();
  }
}

/**
 * Reads the filter from the query.
 * @returns undefined if the query has no filter
 * @throws HttpError if the kind or the payment is unknown
 */
function filterOf(request: Request): Filter | undefined {
  const parameter = (name: keyof Filter) => text(request, name).trim();
  const filter: Filter = {
    kind: parameter("kind"),
    label: normaliseLabel(parameter("label")),
    payment: parameter("payment"),
  };
  if (filter.kind !== "" && !KINDS.some((kind) => `${kind.invoiceType} ${kind.transactionType}` === filter.kind)) {
    throw new HttpError(404, "kind", "Expected a kind such as Normal Sale");
  }
  if (filter.payment !== "" && !Object.hasOwn(PAYMENT_TYPES, filter.payment)) {
    throw new HttpError(404, "payment", `Expected one of ${Object.keys(PAYMENT_TYPES).join(", ")}`);
  }
  return Object.values(filter).some((value) => value !== "") ? filter : undefined;
}
