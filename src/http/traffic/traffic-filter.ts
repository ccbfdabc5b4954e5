/** Searches the traffic: by words, and for failures. */
import type { TrafficEntry } from "./traffic-entry.js";

export interface TrafficFilter {
  /** Words; each must occur in method, path, status, code, counter or RequestId. Case does not matter. */
  readonly text?: string;
  /** Whether only refused or interrupted requests match. */
  readonly failed?: boolean;
}

/** Maximum length of a search text; no searchable text is longer. */
export const LONGEST_TEXT = 200;

const PIN_ACCEPTED = "0100";
/** Cache of searchable texts: an answer is parsed once for many searches. */
const searchable = new WeakMap<TrafficEntry, ReturnType<typeof searchableIn>>();

export function filterOf({ text = "", failed = false }: TrafficFilter): (entry: TrafficEntry) => boolean {
  const words = text.slice(0, LONGEST_TEXT).toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && !failed) return () => true;
  return (entry) => {
    const facts = searchable.get(entry) ?? searchableIn(entry);
    // Cache only answered entries, because others still change.
    if (entry.status !== 0) searchable.set(entry, facts);
    return (facts.failed || !failed) && words.every((word) => facts.words.includes(word));
  };
}

/** The code, the counter or the status codes of an answer, as a short text; empty if the answer has none of them. */
export function shortResult(answer: string): string {
  try {
    const parsed: unknown = JSON.parse(answer);
    // The answer to a PIN that was sent as text is the bare code, which parses as a number.
    if (typeof parsed !== "object") return String(parsed);
    const { code, invoiceCounter, gsc } = parsed as { code?: string; invoiceCounter?: string; gsc?: readonly string[] };
    return code ?? invoiceCounter ?? gsc?.join(" ") ?? "";
  } catch {
    return answer.length < 10 ? answer : "";
  }
}

function searchableIn({ method, path, status, answer, headers }: TrafficEntry) {
  const result = shortResult(answer);
  const parts = [method, path, status === 0 ? "" : status, result, headers.requestid ?? ""];
  // A refused PIN may be answered with status 200. Its answer is the bare code.
  const refusedPin = /^\d{4}$/.test(result) && answer.length < 10 && result !== PIN_ACCEPTED;
  return {
    words: parts.join(" ").toLowerCase(),
    failed: status >= 400 || (status === 0 && answer !== "") || refusedPin,
  };
}
