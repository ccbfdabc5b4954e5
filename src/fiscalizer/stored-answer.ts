/** What a repeat gets: the stored answer, or why there is none. */
import type { QrFormat } from "../fiscal/qr.js";
import type { Entry } from "../ledger/ledger.js";
import { FiscalError } from "./fiscal-error.js";
import type { Intent } from "./intent.js";

const ERASED =
  "The receipt of this sale was erased, as its time to be kept is over. It is not signed again: use a new RequestId for a new sale";

/** @throws FiscalError 2805 where another invoice was posted under this RequestId */
export function requireSameRequest({ requestHash, intact }: Entry, hash: string): void {
  // Of a damaged entry this may be what is damaged.
  if (intact && requestHash !== hash) {
    throw FiscalError.of("2805", "RequestId", "This RequestId was used for another invoice");
  }
}

/** The answer of an entry that is final. @throws FiscalError 2220 where there is none, 2805 where it was erased, 1999 where it is damaged */
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

/** 2220 that says so for good. @param totalCounter undefined where it is not known */
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
 * What goes along with an answer. The QR code is drawn as it was first, also after the setting was changed.
 * @param intent undefined for an invoice that only the card knew
 * @param qrFormat the setting, for stores of earlier versions
 */
export function presentationOf(
  intent: Pick<Intent, "invoice" | "qrFormat" | "todaysRates"> | undefined,
  qrFormat: QrFormat,
): { readonly qrFormat: QrFormat | undefined; readonly todaysRates: boolean } {
  const omits = intent?.invoice.options.omitQRCodeGen === true;
  return { qrFormat: omits ? undefined : (intent?.qrFormat ?? qrFormat), todaysRates: intent?.todaysRates === true };
}
