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

/** How a rule judges a session. The functions have no side effects. */
type Judging =
  | { readonly judge: (session: Session) => Finding }
  | {
      /** Returns what is wrong in a sale, quoted; undefined if nothing is wrong. A single mistake fails the rule. */
      readonly mistake?: (sale: Sale, session: Session) => string | undefined;
      /** Whether a sale shows what the rule asks. One sale is enough, for each name of a rule that asks for several. */
      readonly shows: (sale: Sale, session: Session, name: string) => boolean;
      readonly names?: readonly string[];
    };

export type Rule = Judging & {
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
};

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

export function findingOf(rule: Judging, session: Session): Finding {
  if ("judge" in rule) return rule.judge(session);
  const { mistake = () => undefined, shows, names } = rule;
  const wrong = session.sales.filter((sale) => mistake(sale, session) !== undefined);
  const [first] = wrong;
  if (first) return failed(wrong, mistake(first, session) ?? "");
  if (names) return allSeen(names, (name) => session.sales.find((sale) => shows(sale, session, name)));
  const shown = session.sales.filter((sale) => shows(sale, session, ""));
  return shown.length === 0 ? NOT_SEEN : passed(shown);
}

/** The rule passes when every name was seen. Until then the finding lists the missing names. */
export function allSeen(names: readonly string[], seenIn: (name: string) => Sale | undefined): Finding {
  const missing = names.filter((name) => seenIn(name) === undefined);
  if (missing.length > 0) return { kind: "not seen", missing };
  return { kind: "passed", requests: names.flatMap((name) => seenIn(name)?.request.id ?? []) };
}
