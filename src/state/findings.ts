/**
 * Lists what can be wrong with a till. Only this list decides whether a till can sell, why it cannot, and what a
 * person can do. Status, /ready, metrics, doctor, log and console show the findings of this list; CONTRIBUTING.md
 * ("Add a finding") says how to add a finding.
 */
import { minuteText } from "../base/terminal-text.js";
import type { ErrorCode } from "../fiscal/codes.js";
import { isAuditDue, isLimitReached } from "../fiscal/limit.js";
import { toIso } from "../fiscal/time.js";
import {
  cardsText,
  certificateOf,
  changesText,
  countersText,
  inDoubt,
  isStarting,
  isTestCard,
  keyOf,
  packages,
  pinState,
  rates,
  readyCard,
  report,
  storeFault,
  unsentReceipts,
  wrongPackage,
} from "./conditions.js";
import type { Facts } from "./facts.js";
import type { Action, Finding, FindingCode, FindingValues, Part, Severity } from "./finding.js";
import { LOW_DISK_BYTES, mebibytes } from "./rules.js";
import type { FindingKey } from "./texts/english.js";

export interface Definition {
  readonly code: FindingCode;
  readonly affects: Part;
  readonly action: Action;
  /** The code with which the next sale is refused; undefined if the till sells. */
  readonly refusal?: ErrorCode;
  /** True if the finding's code is in `mssc`, but adds no 1999 to `gsc`, because a POS need not show anything. */
  readonly quiet?: true;
  /** True if the finding passes in a moment, without a person. */
  readonly passes?: true;
  /** Decides whether the finding applies. Returns false if it does not; else true, or the values for its texts. */
  readonly when: (facts: Facts) => boolean | FindingValues;
}

/** A finding whose code the next sale gets as well. */
const refuses = (code: ErrorCode) => ({ code, refusal: code });

const NOT_CONFIGURED = { ...refuses("2400"), affects: "tax rates" } as const;
const CERTIFICATE = { ...refuses("2809"), affects: "certificate" } as const;
const UNSENT_STOPS = { ...refuses("1100"), affects: "audit packages", action: "audit" } as const;
const DOUBT = { code: "9003", affects: "sales in doubt", action: "settle" } as const;
const DAMAGED = { code: "9014", affects: "store", action: "call-technician" } as const;
const UNKNOWN_PART = { code: "9018", affects: "tax rates", action: "ask-authority", quiet: true } as const;
const CLOCK = { code: "9009", affects: "clock", action: "set-clock" } as const;
const CARD_REFUSES = { ...refuses("2210"), affects: "limit" } as const;

/**
 * Common part of the findings about the key with which the service signs in to the authority. Without this key, the
 * service cannot reach the authority, but sales continue until a limit is reached: the card's, or that of unsent sales.
 */
const NO_KEY = { code: "9013", affects: "authority key", quiet: true } as const;

/**
 * Common part of the findings about the authority's commands. Commands are not signed, so a person looks at what they
 * change.
 */
const CHANGES = { code: "9019", affects: "tax rates", action: "confirm", quiet: true } as const;

/** The findings in the order of importance: the console's first sentence is about the first finding that applies. */
export const FINDINGS: Readonly<Record<FindingKey, Definition>> = {
  held: {
    code: "9007",
    refusal: "1999",
    affects: "store",
    action: "free-space",
    when: ({ doubts }) => doubts.unwritten > 0 && { receipts: doubts.unwritten },
  },
  diskFull: { ...storeFault("full"), affects: "disk", action: "free-space" },
  storeGone: { ...storeFault("gone"), action: "call-technician" },
  storeTaken: { ...storeFault("taken-over"), action: "call-technician" },
  storeBusy: { ...storeFault("busy"), action: "call-technician" },
  storeDamaged: { ...storeFault("damaged", "unreadable"), action: "call-technician" },
  notStored: { ...storeFault("read-only", "io", "no-files"), action: "call-technician" },
  noReader: {
    ...refuses("1300"),
    affects: "reader",
    action: "call-technician",
    when: ({ state }) => state.kind === "no-card" && state.noReader,
  },
  noCard: {
    ...refuses("1300"),
    affects: "card",
    action: "insert-card",
    when: ({ state }) => state.kind === "no-card" && !state.noReader,
  },
  starting: { ...refuses("2220"), affects: "card", action: "wait", passes: true, when: isStarting },
  unreachable: {
    ...refuses("2220"),
    affects: "card",
    action: "insert-card",
    when: (facts) => (facts.state.kind === "unreachable" && !isStarting(facts)) || (readyCard(facts)?.silent ?? false),
  },
  working: {
    code: "9021",
    affects: "card",
    action: "wait",
    quiet: true,
    when: (facts) => {
      const since = readyCard(facts)?.signingSince;
      return since !== undefined && { time: new Date(since).toTimeString().slice(0, 8) };
    },
  },
  unsupported: {
    ...refuses("2230"),
    affects: "card",
    action: "insert-card",
    when: ({ state }) => state.kind === "unsupported",
  },
  locked: {
    ...refuses("2110"),
    affects: "card",
    action: "ask-authority",
    when: (facts) => pinState(facts) === "locked",
  },
  ratesDamaged: { ...NOT_CONFIGURED, action: "call-technician", when: (facts) => rates(facts) === "damaged" },
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
    ...CERTIFICATE,
    action: "set-clock",
    when: (facts) => certificateOf(facts)?.state === "not-yet",
  },
  certificateEnded: {
    ...CERTIFICATE,
    action: "ask-authority",
    when: (facts) => certificateOf(facts)?.state === "ended",
  },
  disabled: { ...CARD_REFUSES, action: "ask-authority", when: (facts) => readyCard(facts)?.refuses === "disabled" },
  counterAtEnd: {
    ...CARD_REFUSES,
    action: "ask-authority",
    when: (facts) => [readyCard(facts)?.refuses, readyCard(facts) && facts.refusal?.why].includes("counter-at-end"),
  },
  cardRefuses: { ...CARD_REFUSES, action: "insert-card", when: (facts) => readyCard(facts)?.refuses === "refused" },
  limitReached: {
    ...CARD_REFUSES,
    action: "audit",
    when: ({ amount }) => amount !== undefined && isLimitReached(amount),
  },
  packagesFull: { ...UNSENT_STOPS, when: (facts) => packages(facts) === "full" && facts.refusesUnsent },
  oldCardUnproven: {
    ...UNSENT_STOPS,
    when: ({ oldCard }) => oldCard !== undefined && { uid: oldCard.uid, sales: oldCard.sales },
  },
  // `pinNeeded` comes before `inDoubt`: after the PIN, the card can answer whether it has signed the sale in doubt.
  pinNeeded: {
    ...refuses("1500"),
    affects: "PIN",
    action: "enter-pin",
    when: (facts) => pinState(facts) === "required",
  },
  inDoubt: {
    ...DOUBT,
    refusal: "2220",
    when: (facts) => inDoubt(facts, (uid) => uid === readyCard(facts)?.identity.uid),
  },
  otherInDoubt: { ...DOUBT, when: (facts) => inDoubt(facts, (uid) => uid !== readyCard(facts)?.identity.uid) },
  wasDisabled: {
    code: "9022",
    affects: "limit",
    action: "ask-authority",
    when: (facts) => {
      const { why, at } = facts.refusal ?? {};
      const card = readyCard(facts);
      return why === "disabled" && card?.refuses === undefined && at !== undefined && { time: minuteText(toIso(at)) };
    },
  },
  receiptsLate: {
    code: "9015",
    affects: "audit packages",
    action: "audit",
    when: (facts) => unsentReceipts(facts, "late"),
  },
  testCard: {
    code: "9002",
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
  changesWait: { ...CHANGES, when: ({ toRead }) => toRead.held.length > 0 && { commands: toRead.held.length } },
  configurationChanged: {
    ...CHANGES,
    when: ({ toRead }) => {
      const changes = toRead.made.flatMap((made) => made.changes);
      return changes.length > 0 && { changes: changesText(changes) };
    },
  },
  entryDamaged: { ...DAMAGED, when: ({ damagedEntries }) => damagedEntries > 0 && { entries: damagedEntries } },
  indexDamaged: { ...DAMAGED, when: ({ indexDamaged }) => indexDamaged },
  logKept: { ...DAMAGED, when: ({ keepsLog, storeProblem }) => keepsLog && storeProblem === undefined },
  diskLow: {
    code: "9012",
    affects: "disk",
    action: "free-space",
    // With the emulator, a disk that is nearly full is not reported.
    when: ({ shop, freeBytes, storeProblem }) =>
      shop &&
      storeProblem?.fault !== "full" &&
      freeBytes !== undefined &&
      freeBytes < LOW_DISK_BYTES && { free: mebibytes(freeBytes) },
  },
  certificateEnds: {
    code: "9011",
    affects: "certificate",
    action: "ask-authority",
    when: (facts) => {
      const certificate = certificateOf(facts);
      return certificate?.state === "ends-soon" && { days: certificate.daysLeft };
    },
  },
  packagesSoon: {
    code: "1100",
    affects: "audit packages",
    action: "audit",
    when: (facts) => packages(facts) === "soon-full" || (packages(facts) === "full" && !facts.refusesUnsent),
  },
  keyLocked: { ...NO_KEY, action: "ask-authority", when: (facts) => keyOf(facts)?.state.kind === "locked" },
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
  keyPinNeeded: { ...NO_KEY, action: "enter-pin", when: (facts) => keyOf(facts)?.state.kind === "pin-needed" },
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
  packageSignature: wrongPackage("packageSignature"),
  packageData: wrongPackage("packageData"),
  packageRates: wrongPackage("packageRates"),
  packageRevoked: wrongPackage("packageRevoked"),
  packageWrong: wrongPackage("packageWrong"),
  packageUnmade: { ...wrongPackage("packageUnmade"), action: "call-technician" },
  salesMissing: {
    code: "9020",
    quiet: true,
    affects: "audit packages",
    action: "ask-authority",
    // Report nothing for an emulator without an authority, because it cannot send sales.
    when: ({ missingSales, shop, refusesUnsent }) =>
      missingSales.length > 0 &&
      (shop || refusesUnsent) && { counters: countersText(missingSales), cards: cardsText(missingSales) },
  },
  receiptsSoonLate: {
    code: "9016",
    affects: "audit packages",
    action: "audit",
    when: (facts) => unsentReceipts(facts, "soon"),
  },
  timeZoneUnknown: {
    ...UNKNOWN_PART,
    when: ({ unusable, environment }) =>
      unusable.timeZone !== undefined && { zone: unusable.timeZone, inForce: environment?.timeZone ?? "" },
  },
  languagesUnknown: {
    ...UNKNOWN_PART,
    when: ({ unusable }) => unusable.languages.length > 0 && { languages: unusable.languages.join(", ") },
  },
  auditDue: {
    code: "1400",
    affects: "limit",
    action: "audit",
    when: ({ amount }) => amount !== undefined && isAuditDue(amount),
  },
  backupsAhead: { ...CLOCK, quiet: true, when: ({ backupsAhead }) => backupsAhead > 0 && { backups: backupsAhead } },
  clockOff: {
    ...CLOCK,
    when: ({ clockCheck }) => clockCheck?.off === true && { server: clockCheck.server, ahead: clockCheck.ahead ?? 0 },
  },
};

export const FINDING_KEYS = Object.keys(FINDINGS) as FindingKey[];

export function findingsOf(facts: Facts): Finding[] {
  return FINDING_KEYS.flatMap((key) => {
    const { code, affects, action, refusal = null, when } = FINDINGS[key];
    const values = when(facts);
    if (values === false) return [];
    const severity = severityOf(FINDINGS[key]);
    return [{ key, code, severity, affects, action, refusal, values: values === true ? {} : values }];
  });
}

/** Entering the PIN belongs to every day, so a sale waits for it. */
export function severityOf({ refusal, action, passes }: Definition): Severity {
  if (refusal === undefined) return "warns";
  return action === "enter-pin" || passes ? "waits" : "stops";
}
