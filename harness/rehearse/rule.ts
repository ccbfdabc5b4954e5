/** A rule is one thing that an authority checks of a POS and that the traffic of the POS can show. */
import type { Sale, Session } from "./session.js";

/** For a rule that is only for a POS that also calls the authority's online service. */
export const isOnline = ({ requests }: Session): boolean => requests.some(({ online }) => online);

/** The result of a rule for a session. `requests` has the ids of the requests that show the result. */
export type Finding =
  | { readonly kind: "passed"; readonly requests: readonly number[] }
  /** @param value what is wrong in the requests, quoted from the traffic */
  | { readonly kind: "failed"; readonly requests: readonly number[]; readonly value: string }
  /** @param missing the things that were not seen yet, if the rule asks for several things */
  | { readonly kind: "not seen"; readonly missing?: readonly string[] };

export interface Rule {
  readonly id: string;
  /** What the authority asks. */
  readonly text: string;
  /** The document and its row, as a public digest names them. */
  readonly source: string;
  /** What to do in the POS so that the traffic shows what the rule asks. */
  readonly todo: string;
  /** What to change in the POS if the rule failed. */
  readonly change: string;
  /** Whether the rule is for this session. Default: it is for every session. */
  readonly applies?: (session: Session) => boolean;
  /** Judges a session. The function has no side effects. */
  readonly judge: (session: Session) => Finding;
}

export const MANUAL_TEST = "manual test of a POS 1.1 (2022)";
/** The source of a rule that no document of an authority asks for. */
export const OWN_RULE = "tillseal, for a POS with both services";
export const INSTRUCTION = "technical instruction 1.17 (2024)";

/** The largest number of requests that a finding names. */
const NAMED = 5;

export const NOT_SEEN = { kind: "not seen" } as const satisfies Finding;

export function passed(shown: readonly Pick<Sale, "request">[]): Finding {
  return { kind: "passed", requests: shown.slice(0, NAMED).map(({ request }) => request.id) };
}

export function failed(shown: readonly Pick<Sale, "request">[], value: string): Finding {
  return { kind: "failed", requests: shown.slice(0, NAMED).map(({ request }) => request.id), value };
}

/** The rule passes as soon as a sale shows what the rule asks. */
export function someSale({ sales }: Session, shows: (sale: Sale) => boolean): Finding {
  const shown = sales.filter(shows);
  return shown.length === 0 ? NOT_SEEN : passed(shown);
}

/**
 * The rule fails if a sale has a mistake. Otherwise it passes as soon as a sale shows what the rule asks.
 * @param mistake returns what is wrong in a sale, quoted, or undefined if nothing is wrong
 */
export function noMistake(
  session: Session,
  mistake: (sale: Sale) => string | undefined,
  shows: (sale: Sale) => boolean,
): Finding {
  const wrong = session.sales.filter((sale) => mistake(sale) !== undefined);
  const [first] = wrong;
  return first ? failed(wrong, mistake(first) ?? "") : someSale(session, shows);
}

/** The rule passes when every name was seen. Until then the finding lists the missing names. */
export function allSeen(names: readonly string[], seenIn: (name: string) => Sale | undefined): Finding {
  const missing = names.filter((name) => seenIn(name) === undefined);
  if (missing.length > 0) return { kind: "not seen", missing };
  return { kind: "passed", requests: names.flatMap((name) => seenIn(name)?.request.id ?? []) };
}
