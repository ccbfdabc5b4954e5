/**
 * Lists what can be wrong with a till. Only this list decides whether a till can sell, why it cannot, and what a
 * person can do. Status, /ready, metrics, doctor, log and console show the findings of this list; CONTRIBUTING.md
 * ("Add a finding") says how to add a finding.
 */
import type { ErrorCode } from "../fiscal/codes.js";
import { isAuditDue, isLimitReached } from "../fiscal/limit.js";
import { toIso } from "../fiscal/time.js";
import {
  cardIn,
  changesText,
  countersText,
  inDoubt,
  isTestCard,
  keyOf,
  packages,
  pinOf,
  rates,
  report,
  STOPS_WITH_1999,
  storeFault,
  unsentReceipts,
  wrongPackage,
} from "./conditions.js";
import { certificateOf, type Facts } from "./facts.js";
import type { Action, Finding, FindingCode, FindingValues, Part } from "./finding.js";
import { diskState, mebibytes } from "./rules.js";
import type { FindingKey } from "./texts/english.js";

interface About {
  readonly code: FindingCode;
  readonly affects: Part;
  readonly action: Action;
  /** True if the finding's code is in `mssc`, but adds no 1999 to `gsc`, because a POS need not show anything. */
  readonly quiet?: true;
  /** Decides whether the finding applies. Returns false if it does not; else true, or the values for its texts. */
  readonly when: (facts: Facts) => boolean | FindingValues;
}

export type Definition = About &
  ({ readonly severity: "stops" | "waits"; readonly refusal: ErrorCode } | { readonly severity: "warns" });

const NOT_CONFIGURED = { code: "2400", severity: "stops", refusal: "2400", affects: "tax rates" } as const;
const CARD_REFUSES = { code: "2210", severity: "stops", refusal: "2210", affects: "limit" } as const;

/**
 * Common part of the findings about the key with which the service signs in to the authority. Without this key, the
 * service cannot reach the authority, but sales continue until a limit is reached: the card's, or that of unsent sales.
 */
const NO_KEY = { code: "9013", severity: "warns", affects: "authority key", quiet: true } as const;

const KNOWN_WRONG: readonly (number | null)[] = [2, 3, 5, 6];

/**
 * Common part of the findings about the authority's commands. Commands are not signed, so a person looks at what they
 * change.
 */
const CHANGES = { code: "9019", severity: "warns", affects: "tax rates", action: "confirm", quiet: true } as const;
/** The findings in the order of importance: the console's first sentence is about the first finding that applies. */
export const FINDINGS = {
  held: {
    code: "9007",
    ...STOPS_WITH_1999,
    affects: "store",
    action: "free-space",
    when: ({ doubts }) => doubts.held > 0 && { receipts: doubts.held },
  },
  diskFull: { ...storeFault("full"), affects: "disk", action: "free-space" },
  storeGone: { ...storeFault("gone"), action: "call-technician" },
  storeTaken: { ...storeFault("taken-over"), action: "call-technician" },
  storeBusy: { ...storeFault("busy"), action: "call-technician" },
  storeDamaged: { ...storeFault("damaged", "unreadable"), action: "call-technician" },
  notStored: { ...storeFault("read-only", "io"), action: "call-technician" },
  noReader: {
    code: "1300",
    severity: "stops",
    refusal: "1300",
    affects: "reader",
    action: "call-technician",
    when: ({ state }) => state.kind === "no-card" && state.noReader,
  },
  noCard: {
    code: "1300",
    severity: "stops",
    refusal: "1300",
    affects: "card",
    action: "insert-card",
    when: ({ state }) => state.kind === "no-card" && !state.noReader,
  },
  unreachable: {
    code: "2220",
    severity: "stops",
    refusal: "2220",
    affects: "card",
    action: "insert-card",
    when: ({ state }) => state.kind === "unreachable" || (state.kind === "ready" && state.silent),
  },
  unsupported: {
    code: "2230",
    severity: "stops",
    refusal: "2230",
    affects: "card",
    action: "insert-card",
    when: ({ state }) => state.kind === "unsupported",
  },
  locked: {
    code: "2110",
    severity: "stops",
    refusal: "2110",
    affects: "card",
    action: "ask-authority",
    when: (facts) => pinOf(facts) === "locked",
  },
  ratesDamaged: {
    ...NOT_CONFIGURED,
    action: "call-technician",
    when: (facts) => rates(facts) === "damaged",
  },
  noRatesNow: { ...NOT_CONFIGURED, action: "set-clock", when: (facts) => rates(facts) === "not-now" },
  waitsForAuthority: {
    ...NOT_CONFIGURED,
    action: "wait",
    when: (facts) => rates(facts) === "none" && facts.contact.contact !== "not-asked",
  },
  notConfigured: {
    ...NOT_CONFIGURED,
    action: "configure",
    when: (facts) => rates(facts) === "none" && facts.contact.contact === "not-asked",
  },
  certificateNotYet: {
    code: "2809",
    severity: "stops",
    refusal: "2809",
    affects: "certificate",
    action: "set-clock",
    when: (facts) => certificateOf(facts)?.state === "not-yet",
  },
  certificateEnded: {
    code: "2809",
    severity: "stops",
    refusal: "2809",
    affects: "certificate",
    action: "ask-authority",
    when: (facts) => certificateOf(facts)?.state === "ended",
  },
  disabled: {
    ...CARD_REFUSES,
    action: "ask-authority",
    when: ({ state }) => state.kind === "ready" && state.refuses === "disabled",
  },
  counterAtEnd: {
    ...CARD_REFUSES,
    action: "ask-authority",
    when: ({ state }) => state.kind === "ready" && state.refuses === "counter-at-end",
  },
  limitReached: {
    ...CARD_REFUSES,
    action: "audit",
    when: ({ amount }) => amount !== undefined && isLimitReached(amount),
  },
  packagesFull: {
    code: "1100",
    severity: "stops",
    refusal: "1100",
    affects: "audit packages",
    action: "audit",
    when: (facts) => packages(facts) === "full" && facts.refusesUnsent,
  },
  oldCardUnproven: {
    code: "1100",
    severity: "stops",
    refusal: "1100",
    affects: "audit packages",
    action: "audit",
    when: ({ oldCard }) => oldCard !== undefined && { uid: oldCard.uid, sales: oldCard.sales },
  },
  // `pinNeeded` comes before `inDoubt`: after the PIN, the card can answer whether it has signed the sale in doubt.
  pinNeeded: {
    code: "1500",
    severity: "waits",
    refusal: "1500",
    affects: "PIN",
    action: "enter-pin",
    when: (facts) => pinOf(facts) === "required",
  },
  inDoubt: {
    code: "9003",
    severity: "stops",
    refusal: "2220",
    affects: "sales in doubt",
    action: "settle",
    when: (facts) => inDoubt(facts, (uid) => uid === cardIn(facts)),
  },
  otherInDoubt: {
    code: "9003",
    severity: "warns",
    affects: "sales in doubt",
    action: "settle",
    when: (facts) => inDoubt(facts, (uid) => uid !== cardIn(facts)),
  },
  receiptsLate: {
    code: "9015",
    severity: "warns",
    affects: "audit packages",
    action: "audit",
    when: (facts) => unsentReceipts(facts, "late"),
  },
  testCard: {
    code: "9002",
    severity: "warns",
    affects: "issuer",
    action: "insert-card",
    quiet: true,
    when: (facts) => facts.shop && isTestCard(facts),
  },
  swapped: { ...report("9010", "swapped"), action: "ask-authority" },
  back: { ...report("9005", "back"), action: "ask-authority" },
  behind: { ...report("9004", "behind"), action: "confirm" },
  lost: { ...report("9001", "lost"), action: "ask-authority" },
  unproven: { ...report("9006", "unproven"), action: "ask-authority" },
  changesWait: {
    ...CHANGES,
    when: ({ toRead }) => toRead.held.length > 0 && { commands: toRead.held.length },
  },
  configurationChanged: {
    ...CHANGES,
    when: ({ toRead }) => {
      const changes = toRead.made.flatMap((made) => made.changes);
      return changes.length > 0 && { changes: changesText(changes) };
    },
  },
  entryDamaged: {
    code: "9014",
    severity: "warns",
    affects: "store",
    action: "call-technician",
    when: ({ damagedEntries }) => damagedEntries > 0 && { entries: damagedEntries },
  },
  indexDamaged: {
    code: "9014",
    severity: "warns",
    affects: "store",
    action: "call-technician",
    when: ({ indexDamaged }) => indexDamaged,
  },
  diskLow: {
    code: "9012",
    severity: "warns",
    affects: "disk",
    action: "free-space",
    // With the emulator, a disk that is nearly full is not reported.
    when: ({ shop, freeBytes, storeProblem }) =>
      shop &&
      storeProblem?.fault !== "full" &&
      freeBytes !== undefined &&
      diskState(freeBytes) !== "well" && { free: mebibytes(freeBytes) },
  },
  certificateEnds: {
    code: "9011",
    severity: "warns",
    affects: "certificate",
    action: "ask-authority",
    when: (facts) => {
      const certificate = certificateOf(facts);
      return certificate?.state === "ends-soon" && { days: certificate.daysLeft };
    },
  },
  packagesSoon: {
    code: "1100",
    severity: "warns",
    affects: "audit packages",
    action: "audit",
    when: (facts) => packages(facts) === "soon-full" || (packages(facts) === "full" && !facts.refusesUnsent),
  },
  keyLocked: {
    ...NO_KEY,
    action: "ask-authority",
    when: (facts) => keyOf(facts)?.state.kind === "locked",
  },
  keyExpired: {
    ...NO_KEY,
    action: "ask-authority",
    when: (facts) => {
      const { validTo } = keyOf(facts) ?? {};
      return validTo !== undefined && validTo < facts.now && { day: toIso(validTo).slice(0, 10) };
    },
  },
  keyAttemptMissing: {
    ...NO_KEY,
    action: "enter-pin",
    when: (facts) => {
      const state = keyOf(facts)?.state;
      return state?.kind === "attempt-missing" && { attempts: state.attempts.left };
    },
  },
  keyPinNeeded: {
    ...NO_KEY,
    action: "enter-pin",
    when: (facts) => keyOf(facts)?.state.kind === "pin-needed",
  },
  keyMissing: {
    ...NO_KEY,
    action: "call-technician",
    when: (facts) => {
      const state = keyOf(facts)?.state;
      return state?.kind === "no-key" && { reason: state.reason };
    },
  },
  keyRefused: {
    ...NO_KEY,
    action: "ask-authority",
    when: (facts) => {
      const problem = keyOf(facts)?.problem;
      return problem !== undefined && problem.fault !== "unreachable" && { reason: problem.message };
    },
  },
  packageSignature: wrongPackage((status) => status === 2),
  packageData: wrongPackage((status) => status === 3),
  packageRates: wrongPackage((status) => status === 5),
  packageRevoked: wrongPackage((status) => status === 6),
  packageWrong: wrongPackage((status) => !KNOWN_WRONG.includes(status)),
  salesMissing: {
    code: "9020",
    quiet: true,
    severity: "warns",
    affects: "audit packages",
    action: "ask-authority",
    // Report nothing for an emulator without an authority, because it cannot send sales.
    when: ({ missingSales, shop, refusesUnsent }) =>
      missingSales.length > 0 && (shop || refusesUnsent) && { counters: countersText(missingSales) },
  },
  receiptsSoonLate: {
    code: "9016",
    severity: "warns",
    affects: "audit packages",
    action: "audit",
    when: (facts) => unsentReceipts(facts, "soon"),
  },
  timeZoneUnknown: {
    code: "9018",
    quiet: true,
    severity: "warns",
    affects: "tax rates",
    action: "ask-authority",
    when: ({ unusable, environment }) =>
      unusable.timeZone !== undefined && { zone: unusable.timeZone, inForce: environment?.timeZone ?? "" },
  },
  languagesUnknown: {
    code: "9018",
    quiet: true,
    severity: "warns",
    affects: "tax rates",
    action: "ask-authority",
    when: ({ unusable }) => unusable.languages.length > 0 && { languages: unusable.languages.join(", ") },
  },
  auditDue: {
    code: "1400",
    severity: "warns",
    affects: "limit",
    action: "audit",
    when: ({ amount }) => amount !== undefined && isAuditDue(amount),
  },
  backupsAhead: {
    code: "9009",
    severity: "warns",
    affects: "clock",
    action: "set-clock",
    quiet: true,
    when: ({ backupsAhead }) => backupsAhead > 0 && { backups: backupsAhead },
  },
  clockOff: {
    code: "9009",
    severity: "warns",
    affects: "clock",
    action: "set-clock",
    when: ({ clockCheck }) => clockCheck?.off === true && { server: clockCheck.server, ahead: clockCheck.ahead ?? 0 },
  },
} as const satisfies Record<FindingKey, Definition>;

export const FINDING_KEYS = Object.keys(FINDINGS) as FindingKey[];

/** The findings that apply, the most important one first. */
export function findingsOf(facts: Facts): Finding[] {
  return FINDING_KEYS.flatMap((key) => {
    const definition: Definition = FINDINGS[key];
    const values = definition.when(facts);
    if (values === false) return [];
    const { code, severity, affects, action } = definition;
    const refusal = definition.severity === "warns" ? null : definition.refusal;
    return [{ key, code, severity, affects, action, refusal, values: values === true ? {} : values }];
  });
}
