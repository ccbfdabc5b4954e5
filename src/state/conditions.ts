/**
 * Conditions that several findings use. Each function derives one value from the facts, such as the state of the PIN.
 * `findings.ts` decides from these values whether a finding applies.
 */
import type { CardTlsKeyFacts } from "../authority/card-tls-key.js";
import { countryOf } from "../fiscal/countries/countries.js";
import { rateGroupAt } from "../fiscal/tax.js";
import type { MissingSales } from "../ledger/audit-ledger.js";
import type { LedgerFault, ReportKind } from "../ledger/ledger.js";
import type { ConfigurationChange } from "../ledger/sent.js";
import type { PinState } from "../secure-element/secure-element.js";
import type { Facts } from "./facts.js";
import type { FindingCode, FindingValues } from "./finding.js";
import { packagesState, receiptsState, wholeDays } from "./rules.js";

export const STOPS_WITH_1999 = { severity: "stops", refusal: "1999" } as const;

/** The part of a finding's definition that applies if the store cannot be written or read. */
export function storeFault(...faults: (LedgerFault | "unreadable")[]) {
  const when = ({ storeProblem }: Facts) =>
    storeProblem !== undefined && faults.includes(storeProblem.fault) && { folder: storeProblem.folder };
  return { code: "9008", ...STOPS_WITH_1999, affects: "store", when } as const;
}

/** The definition of a finding that applies if a person must confirm reports of a kind. */
export function report(code: FindingCode, kind: ReportKind) {
  const when = ({ doubts }: Facts) => {
    const reports = doubts.reports.filter((entry) => entry.kind === kind).length;
    return reports > 0 && { reports };
  };
  return { code, severity: "warns", affects: "reports", when } as const;
}

/** State of the card's PIN; undefined if no card answers. */
export function pinOf({ state }: Facts): PinState | undefined {
  return state.kind === "ready" && !state.silent ? state.pin : undefined;
}

/** Whether the card is a test card. Its issuer has no power to issue cards, so receipts of the card are not valid. */
export function isTestCard({ state }: Pick<Facts, "state">): boolean {
  return state.kind === "ready" && state.identity.isTest;
}

export function cardIn({ state }: Facts): string | undefined {
  return state.kind === "ready" ? state.identity.uid : undefined;
}

export function inDoubt({ doubts }: Facts, isMeant: (uid: string) => boolean): false | FindingValues {
  const sales = doubts.sales.filter(({ entry }) => isMeant(entry.uid)).length;
  return sales > 0 && { sales };
}

export function rates({ environment, environmentSource, now }: Facts): "well" | "not-now" | "none" | "damaged" {
  if (environment) return rateGroupAt(environment.taxRates, now) ? "well" : "not-now";
  return environmentSource.kind === "nothing" && environmentSource.damaged ? "damaged" : "none";
}

export function packages({ unsent, unsentLimit }: Facts): "full" | "soon-full" | "well" {
  return unsent === undefined ? "well" : packagesState(unsent, unsentLimit);
}

/** Facts about the key in the card; undefined if no setting and no person has asked for the key. */
export function keyOf({ cardKey }: Facts): CardTlsKeyFacts | undefined {
  return cardKey?.wanted ? cardKey : undefined;
}

/**
 * The days that the oldest unsent receipt has waited, if they are `wanted` by the rule of the card's country; else
 * false.
 */
export function unsentReceipts(
  { oldestUnsent, now, state, environment, shop, refusesUnsent }: Facts,
  wanted: "late" | "soon",
) {
  const country = state.kind === "ready" ? state.identity.country : environment?.parameters.country;
  const days = country === undefined ? undefined : countryOf(country)?.receiptDays?.value;
  // Report nothing for an emulator without an authority, because it cannot send receipts.
  if (oldestUnsent === undefined || days === undefined || !(shop || refusesUnsent)) return false;
  const waits = now - oldestUnsent;
  return receiptsState(waits, days) === wanted && { days: wholeDays(waits), limit: days };
}

/** The definition of a finding about packages that the authority found wrong, with a status that `isMeant` accepts. */
export function wrongPackage(isMeant: (status: number | null) => boolean) {
  const when = ({ wrongPackages }: Facts) => {
    const counters = wrongPackages
      .filter(({ status }) => isMeant(status))
      .map(({ number }) => number.split("-").at(-1));
    const shown = counters.slice(0, MOST_COUNTERS).join(", ");
    return counters.length > 0 && { counters: counters.length > MOST_COUNTERS ? `${shown}, ...` : shown };
  };
  return { code: "9017", severity: "warns", affects: "audit packages", action: "ask-authority", when } as const;
}

export function countersText(sales: readonly MissingSales[]): string {
  const ranges = sales.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  const shown = ranges.slice(0, MOST_COUNTERS).join(", ");
  return ranges.length > MOST_COUNTERS ? `${shown}, ...` : shown;
}

/** Maximum number of counters that a finding names. */
const MOST_COUNTERS = 10;

/** Maximum number of changes that a finding names. */
const MOST_NAMED = 3;

/** Changes as names and values. The text has no words, because texts in three languages contain it. */
export function changesText(changes: readonly ConfigurationChange[]): string {
  const named = changes
    .slice(0, MOST_NAMED)
    .map(({ name, before, after }) => `${name} ${before ?? "–"} → ${after ?? "–"}`);
  return [...named, ...(changes.length > MOST_NAMED ? ["..."] : [])].join("; ");
}
