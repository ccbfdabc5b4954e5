/** A rule is one thing that an authority checks of a POS and that the traffic of the POS can show. */
import type { SentRequest } from "../scenario/request-types.js";
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
  | {
      readonly judge: (span: Session) => Finding;
      /** Set if the rule is asked once, over all spans. */
      readonly once?: true;
    }
  | {
      /** Returns what is wrong in a sale, quoted; undefined if nothing is wrong. A single mistake fails the rule. */
      readonly mistake?: (sale: Sale, session: Session) => string | undefined;
      /** Whether a sale shows what the rule asks. One sale is enough, for each name of a rule that asks for several. */
      readonly shows: (sale: Sale, session: Session, name: string) => boolean;
      readonly names?: readonly string[];
    };

/** A rule without its texts, which texts.json has in English and Serbian. */
export type UntitledRule = Judging & {
  readonly id: string;
  /** The document and its row, as a public digest names them. */
  readonly source: string;
  /** Whether the rule is for this session. Default: it is for every session. */
  readonly applies?: (session: Session) => boolean;
  /** Set if what fails may pass later. It is known when a span or the command ends. */
  readonly atEnd?: true;
};

export interface RuleTexts {
  /** What the authority asks. */
  readonly text: string;
  /** What to do in the POS so that the traffic shows what the rule asks. */
  readonly todo: string;
  /** What to change in the POS if the rule failed. */
  readonly change: string;
}

export type Rule = UntitledRule & RuleTexts;

export const MANUAL_TEST = "manual test of a POS 1.1 (2022)";
/** The source of a rule that no document of an authority asks for. */
export const OWN_RULE = "tillseal, for a POS with both services";
export const INSTRUCTION = "technical instruction 1.17 (2024)";

/** The largest number of requests that a finding names. */
const NAMED = 5;

export const NOT_SEEN = { kind: "not seen" } as const satisfies Finding;

type Shown = readonly (SentRequest | Pick<Sale, "request">)[];

const idsOf = (shown: Shown) => shown.slice(0, NAMED).map((one) => ("request" in one ? one.request.id : one.id));

export const passed = (shown: Shown): Finding => ({ kind: "passed", requests: idsOf(shown) });

export const failed = (shown: Shown, value: string): Finding => ({ kind: "failed", requests: idsOf(shown), value });

export function findingOf(rule: Judging, session: Session): Finding {
  const { spans = [session] } = session;
  if ("judge" in rule) {
    if (rule.once) return rule.judge(session);
    const findings = spans.map(rule.judge);
    const found = (sought: Finding["kind"]) => findings.find(({ kind }) => kind === sought);
    return found("failed") ?? found("passed") ?? findings.at(-1) ?? NOT_SEEN;
  }
  const { mistake = () => undefined, shows, names } = rule;
  const all = spans.flatMap((span) => span.sales.map((sale) => ({ sale, span, wrong: mistake(sale, span) })));
  const wrong = all.filter((one) => one.wrong !== undefined);
  const sales = wrong.map(({ sale }) => sale);
  if (sales.length > 0) return failed(sales, wrong[0]?.wrong ?? "");
  const shownBy = (name: string) => all.flatMap(({ sale, span }) => (shows(sale, span, name) ? sale : []));
  if (names) return allSeen(names.map((name) => [name, shownBy(name)[0]]));
  const shown = shownBy("");
  return shown.length === 0 ? NOT_SEEN : passed(shown);
}

/** The rule passes when every name was seen. Until then the finding lists the missing names. */
export function allSeen(seen: readonly (readonly [name: string, sale: Sale | undefined])[]): Finding {
  const missing = seen.flatMap(([name, sale]) => (sale ? [] : name));
  if (missing.length > 0) return { kind: "not seen", missing };
  return { kind: "passed", requests: seen.flatMap(([, sale]) => sale?.request.id ?? []) };
}
