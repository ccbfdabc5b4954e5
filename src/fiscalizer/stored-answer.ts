/** Finds the answer to a repeat: the stored answer, or the reason why there is none. */
import { createHash } from "node:crypto";
import type { Settings } from "../config/settings.js";
import { qrFormatOf } from "../fiscal/answer-form.js";
import type { Invoice } from "../fiscal/invoice.js";
import type { QrFormat } from "../fiscal/qr.js";
import type { Intent } from "../ledger/intent.js";
import type { Entry } from "../ledger/ledger.js";
import { FiscalError } from "./fiscal-error.js";

const ERASED =
  "The receipt of this sale was erased, because its retention period is over. It is not signed again: use a new RequestId for a new sale";

/**
 * Returns a hash of the normalised request. A request with the same RequestId and the same hash is a repeat. Stores keep
 * the hash, so it must never change for the same request.
 */
export function hashOf(invoice: Invoice): string {
  return createHash("sha256").update(JSON.stringify(invoice, sorted)).digest("hex");
}

/** Gives equal requests equal texts, in any order of their fields. An amount becomes a text that ends in `n`. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws FiscalError 2805 if another invoice was posted with this RequestId */
export function requireSameRequest({ requestHash, intact }: Entry, hash: string): void {
  // The hash of a damaged entry is not compared, because the hash may be the damaged part.
  if (intact && requestHash !== hash) {
    throw FiscalError.of("2805", "RequestId", "This RequestId was used for another invoice");
  }
}

/**
 * Returns a final entry's answer.
 * @throws FiscalError 2220 if it has none, 2805 if it was erased, 1999 if it is damaged
 */
export function finalAnswer(entry: Entry): string {
  const { state, totalCounter, answer, intact } = entry;
  if (!intact) {
    throw FiscalError.of(
      "1999",
      "RequestId",
      "The stored answer of this sale is damaged: run tillseal verify, and restore a backup",
    );
  }
  if (state === "complete" && answer !== null) return answer;
  if (state === "erased") throw FiscalError.of("2805", "RequestId", ERASED);
  throw noReceipt(state, totalCounter ?? undefined);
}

/** Returns the error 2220 for a sale that never gets a receipt. @param totalCounter undefined if unknown */
export function noReceipt(state: Entry["state"], totalCounter: number | undefined): FiscalError {
  const which =
    totalCounter === undefined
      ? "The card may have counted this sale"
      : `The card counted this sale as invoice ${totalCounter}`;
  const why =
    state === "unproven" ? "its signature is damaged" : "its signature was lost and the card cannot repeat it";
  const advice = "sell it again under a new RequestId, and report the counter to the tax authority";
  return FiscalError.of("2220", "RequestId", `${which}, but ${why}. This is final: ${advice}`);
}

/**
 * Returns how to present an answer. The QR code keeps its first format, even after the setting has changed.
 * @param intent undefined for an invoice that only the card knew
 * @param settings for an invoice that only the card knew
 */
export function presentationOf(
  intent: Pick<Intent, "invoice" | "qrFormat" | "todaysRates"> | undefined,
  { answerForm }: Pick<Settings, "answerForm">,
): { readonly qrFormat: QrFormat | undefined; readonly todaysRates: boolean } {
  const omits = intent?.invoice.options.omitQRCodeGen === true;
  return {
    qrFormat: omits ? undefined : (intent?.qrFormat ?? qrFormatOf(answerForm)),
    todaysRates: intent?.todaysRates === true,
  };
}
