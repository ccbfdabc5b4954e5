/** Gathers the findings of the doctor: from the facts that it has gathered, and from the running service. */
import type { Facts } from "../state/facts.js";
import type { Finding } from "../state/finding.js";
import { findingsOf } from "../state/findings.js";
import type { Examined } from "./check.js";

interface Surroundings {
  /** ms since the epoch. */
  readonly now: number;
  /** The setting `unsentLimit`. */
  readonly unsentLimit: number;
  /** Findings of the running service; undefined if no service runs. */
  readonly ofService: readonly Finding[] | undefined;
}

export function allFindings(
  examined: readonly Examined[],
  { now, unsentLimit, ofService }: Surroundings,
): readonly Finding[] {
  const facts: Facts = Object.assign({ ...UNKNOWN, now, unsentLimit }, ...examined.map((one) => one.facts));
  if (!ofService) return findingsOf(facts);
  // The store alone does not show whether a sale is in doubt or is being signed now: use the service's findings about
  // doubts.
  const own = findingsOf({ ...facts, doubts: UNKNOWN.doubts });
  const known = new Set(own.map(({ key }) => key));
  return [...own, ...ofService.filter(({ key }) => !known.has(key))];
}

/** Facts before the examination, so that a part that was not examined has no finding. */
const UNKNOWN: Facts = {
  now: 0,
  state: { kind: "no-card", noReader: true, reason: "", why: { code: "noReader" } },
  amount: undefined,
  environment: undefined,
  environmentSource: { kind: "nothing", damaged: false },
  contact: { contact: "not-asked" },
  doubts: { sales: [], held: 0, reports: [] },
  storeProblem: undefined,
  damagedEntries: 0,
  indexDamaged: false,
  backupsAhead: 0,
  clockCheck: undefined,
  freeBytes: undefined,
  unsent: undefined,
  unusable: { timeZone: undefined, languages: [] },
  toRead: { held: [], made: [] },
  oldestUnsent: undefined,
  wrongPackages: [],
  missingSales: [],
  unsentLimit: 0,
  oldCard: undefined,
  refusesUnsent: false,
  cardKey: undefined,
  shop: true,
};
