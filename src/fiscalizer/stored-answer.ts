/** Finds the answer to a repeat: the stored answer, or the reason why there is none. */
import { createHash } from "node:crypto";
import type { Settings } from "../config/settings.js";
import { qrFormatOf } from "../fiscal/answer-form.js";
import type { Invoice } from "../fiscal/invoice.js";
import { isTimeOf, type SoldTime } from "../fiscal/pos-time.js";
import type { QrFormat } from "../fiscal/qr.js";
import type { Intent } from "../ledger/intent.js";
import type { Entry, EntryState } from "../ledger/ledger.js";
import { contentOf } from "../ledger/receipt-content.js";
import { FiscalError } from "./fiscal-error.js";

const ERASED = "The receipt of this sale was erased. It is not signed again: use a new RequestId for a new sale";

/**
 * Returns a hash of the normalised request without its options, which choose the form of the answer. A request with the
 * same RequestId and the same hash is a repeat. Stores keep the hash, so it must never change for the same request.
 */
export function hashOf({ options, ...invoice }: Invoice): string {
  return createHash("sha256").update(JSON.stringify(invoice, sorted)).digest("hex");
}

/** Gives equal requests equal texts, in any order of their fields. An amount becomes a text that ends in `n`. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws FiscalError 2805 that names the differences, if another invoice was posted with this RequestId */
export function requireSameRequest(entry: Entry, invoice: Invoice, hash: string): void {
  const { requestId, requestHash, intact } = entry;
  // The hash of a damaged entry is not compared, because the hash may be the damaged part.
  if (!intact || requestHash === hash) return;
  const stored = contentOf(entry)?.intent;
  const fields = stored ? differences(stored, invoice) : [];
  const more = fields.length > MOST_FIELDS ? ", and more" : "";
  const values = { fields: fields.slice(0, MOST_FIELDS).join(", ") };
  const different = fields.length === 0 ? "" : { message: `; they differ in {fields}${more}`, values };
  throw FiscalError.of(
    "2805",
    "RequestId",
    "This RequestId was used for another invoice{different}. GET {path} " +
      "returns the receipt of the first one: repeat an invoice without a change, and give a new sale a new RequestId",
    { different, path: `/api/v3/invoices/${encodeURIComponent(requestId ?? "")}` },
  );
}

/** Number of fields that a refusal names. */
const MOST_FIELDS = 5;

/** Returns the names of the fields in which a posted invoice differs from a sold one. */
function differences({ invoice: sold, timeZone }: Intent, posted: Invoice): string[] {
  const { options: _sold, dateAndTimeOfIssue, referentDocumentDT, ...before } = sold;
  const { options: _posted, dateAndTimeOfIssue: time, referentDocumentDT: referentTime, ...now } = posted;
  const same = (at: SoldTime | undefined, again: string | undefined) =>
    (at === undefined) === (again === undefined) && (!at || !again || isTimeOf(again, at, timeZone));
  const fields = [
    ...(same(dateAndTimeOfIssue, time) ? [] : ["dateAndTimeOfIssue"]),
    ...(same(referentDocumentDT, referentTime) ? [] : ["referentDocumentDT"]),
    ...differingPaths(before, now),
  ];
  // The text of a time is not stored: without another difference, the same moment is written in another form.
  const times = [...(time ? ["dateAndTimeOfIssue"] : []), ...(referentTime ? ["referentDocumentDT"] : [])];
  return fields.length > 0 ? fields : times;
}

/** Returns the places, such as `items[0].name`, in which two invoices differ. */
export function differingPaths(a: unknown, b: unknown, path = ""): string[] {
  if (a === b) return [];
  const both = [a, b].every((one) => typeof one === "object" && one !== null);
  if (!both) return [path];
  const [before, now] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const isList = Array.isArray(b);
  return names.flatMap((name) =>
    differingPaths(before[name], now[name], isList ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`),
  );
}

/** @throws FiscalError 2220 if the entry has no answer, 2805 if it was erased, 1999 if it is damaged */
export function finalAnswer({ state, totalCounter, answer, intact }: Entry): string {
  if (intact && answer !== null) return answer;
  throw intact ? WITHOUT_ANSWER[state](totalCounter ?? undefined) : damagedAnswer();
}

const damagedAnswer = () =>
  FiscalError.of(
    "1999",
    "RequestId",
    "The stored answer of this sale is damaged: run tillseal verify, and restore a backup",
  );

/** Why an undamaged entry has no answer, by its state. */
const WITHOUT_ANSWER: Readonly<Record<EntryState, (totalCounter: number | undefined) => FiscalError>> = {
  intent: damagedAnswer,
  complete: damagedAnswer,
  adopted: damagedAnswer,
  erased: () => FiscalError.of("2805", "RequestId", ERASED),
  lost: (totalCounter) => noReceipt("lost", totalCounter),
  unproven: (totalCounter) => noReceipt("unproven", totalCounter),
};

/** Why a sale that the card has counted never gets a receipt. */
const NO_RECEIPT = {
  lost: "its signature was lost and the card cannot repeat it",
  unproven: "its signature is damaged",
} as const satisfies Partial<Record<Entry["state"], string>>;

/** Returns the error 2220 for a sale that never gets a receipt. @param totalCounter undefined if unknown */
export function noReceipt(state: keyof typeof NO_RECEIPT, totalCounter: number | undefined): FiscalError {
  const which =
    totalCounter === undefined
      ? "The card may have counted this sale"
      : `The card counted this sale as invoice ${totalCounter}`;
  const advice = "sell it again under a new RequestId, and report it to the tax authority";
  const message = `${which}, but ${NO_RECEIPT[state]}. This is final: ${advice}`;
  return new FiscalError([{ code: "2220", property: "RequestId", message }], true);
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
