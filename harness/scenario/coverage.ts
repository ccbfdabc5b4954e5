/** Reports which codes, endpoints and changes of the card's state a run of scenarios has shown. */

import { linesText, tableLines } from "../../src/base/terminal-text.js";
import { describeCode, FISCAL_CODES, type FiscalCode } from "../../src/fiscal/codes.js";
import { API_PREFIX, ENDPOINTS } from "../../src/http/endpoints.js";
import { codesIn } from "./json.js";
import type { Exchange, Played } from "./play.js";

export interface Covered {
  readonly what: string;
  /** Names of the scenarios that show it. An empty list is a gap, unless `unreachable` is set. */
  readonly shownBy: readonly string[];
  readonly unreachable?: string;
}

export type Coverage = Readonly<Record<"codes" | "endpoints" | "transitions", readonly Covered[]>>;

/** The changes of the card's state that the coverage counts (protocol facts, section 1, "Life of a card"). */
const TRANSITIONS = [
  "no card -> PIN needed",
  "PIN needed -> ready",
  "not configured -> ready",
  "PIN needed -> PIN locked",
  "ready -> no card",
  "ready -> PIN needed",
  "ready -> no reader",
  "no reader -> PIN needed",
  "ready -> audit recommended",
  "audit recommended -> blocked",
  "blocked -> ready",
  "ready -> disabled",
  "disabled -> ready",
] as const;

export function coverageOf(results: readonly Played[]): Coverage {
  const shownBy = (shows: (played: Played) => boolean) => results.filter(shows).map(({ scenario }) => scenario.name);
  return {
    codes: FISCAL_CODES.map((code) => ({
      what: code,
      shownBy: shownBy(({ exchanges }) => exchanges.some(({ answer }) => codesIn(answer?.text ?? "").includes(code))),
      ...unreachable(code),
    })),
    endpoints: ENDPOINTS.map(({ method, path }) => ({
      what: `${method} ${API_PREFIX}${path}`,
      shownBy: shownBy(({ exchanges }) => exchanges.some((exchange) => isCall(exchange, method, path))),
    })),
    transitions: TRANSITIONS.map((what) => ({
      what,
      shownBy: shownBy(({ life }) => life.some((state, i) => i > 0 && `${life[i - 1]} -> ${state}` === what)),
    })),
  };
}

function unreachable(code: FiscalCode): Pick<Covered, "unreachable"> {
  const { unreachable: isUnreachable = false, seenIn } = describeCode(code);
  return isUnreachable ? { unreachable: seenIn } : {};
}

/**
 * Returns each code, endpoint and change that no scenario shows, and each code that a scenario shows although the
 * catalogue of codes calls the code unreachable.
 */
export function holesOf({ codes, endpoints, transitions }: Coverage): string[] {
  return [...codes, ...endpoints, ...transitions]
    .filter((covered) => (covered.shownBy.length === 0) === (covered.unreachable === undefined))
    .map(({ what }) => what);
}

/** One line for each code, endpoint and change: the first scenario that shows it, and how many others do. */
export function coverageText(coverage: Coverage): string {
  const section = (title: string, rows: readonly Covered[]) => {
    const lines = tableLines(rows.map((row) => [row.what, shown(row)]));
    return linesText([title, ...lines.map((line) => `  ${line}`)]);
  };
  const { codes, endpoints, transitions } = coverage;
  return [section("codes", codes), section("endpoints", endpoints), section("card", transitions)].join("\n");
}

function shown({ shownBy: [first, ...others], unreachable: why }: Covered): string {
  if (first === undefined) return why === undefined ? "HOLE" : `cannot be reached: ${why}`;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function isCall({ request }: Exchange, method: string, path: string): boolean {
  const pattern = new RegExp(`^${API_PREFIX}${path.replace(/:\w+/g, "[^/]+")}/?$`);
  return request.method === method && pattern.test(request.path.split("?")[0] ?? "");
}
