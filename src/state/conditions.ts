/**
 * Conditions that several findings use. Each function derives one value from the facts, such as the state of the PIN.
 * `findings.ts` decides from these values whether a finding applies.
 */
import type { CardTlsKeyFacts } from "../authority/card-tls-key.js";
import { countryOf } from "../fiscal/countries.js";
import { rateGroupAt } from "../fiscal/tax.js";
import type { MissingSales } from "../ledger/audit-ledger.js";
import type { LedgerFault, ReportKind } from "../ledger/ledger.js";
import type { ConfigurationChange } from "../ledger/sent.js";
import type { PinState } from "../secure-element/secure-element.js";
import type { Facts } from "./facts.js";
import type { FindingCode, FindingValues } from "./finding.js";
import { type CertificateState, certificateState, wholeDays } from "./rules.js";
import type { FindingKey } from "./texts/english.js";

/** The part of a finding's definition that applies if the store cannot be written or read. */
export function storeFault(...faults: (LedgerFault | "unreadable")[]) {
  const when = ({ storeProblem }: Facts) =>
    storeProblem !== undefined && faults.includes(storeProblem.fault) && { folder: storeProblem.folder };
  return { code: "9008", refusal: "1999", affects: "store", when } as const;
}

/** The definition of a finding that applies if a person must confirm reports of a kind. */
export function report(code: FindingCode, kind: ReportKind) {
  const when = ({ doubts }: Facts) => {
    const reports = doubts.reports.filter((entry) => entry.kind === kind);
    return reports.length > 0 && { reports: reports.length, cards: cardsText(reports) };
  };
  return { code, affects: "reports", when } as const;
}

/** The card in the reader; undefined if it cannot be used. */
export function readyCard({ state }: Pick<Facts, "state">) {
  return state.kind === "ready" ? state : undefined;
}

/** Whether the service has not looked at the reader yet, or reads the card that was put in. */
export function isStarting({ state }: Pick<Facts, "state">): boolean {
  return state.kind === "unreachable" && ["notStarted", "reading"].includes(state.why.code);
}

/** State of the card's PIN; undefined if no card answers. */
export function pinState(facts: Facts): PinState | undefined {
  const card = readyCard(facts);
  return card?.silent ? undefined : card?.pin;
}

/** Whether the card is a test card. Its issuer has no power to issue cards, so receipts of the card are not valid. */
export function isTestCard(facts: Pick<Facts, "state">): boolean {
  return readyCard(facts)?.identity.isTest === true;
}

/** The certificate of the card in the reader; undefined without a card. */
export function certificateOf(facts: Pick<Facts, "state" | "now">): CertificateState | undefined {
  const card = readyCard(facts);
  return card && certificateState(card.identity, facts.now);
}

export function inDoubt({ doubts }: Facts, isMeant: (uid: string) => boolean): false | FindingValues {
  const entries = doubts.sales.map(({ entry }) => entry).filter(({ uid }) => isMeant(uid));
  return entries.length > 0 && { sales: entries.length, cards: cardsText(entries) };
}

export function cardsText(rows: readonly { readonly uid: string }[]): string {
  return [...new Set(rows.map(({ uid }) => uid))].join(", ");
}

export function rates({ environment, environmentSource, now }: Facts): "well" | "not-now" | "none" | "damaged" {
  if (environment) return rateGroupAt(environment.taxRates, now) ? "well" : "not-now";
  return environmentSource.kind === "nothing" && environmentSource.damaged ? "damaged" : "none";
}

export function packages({ unsent, unsentLimit }: Facts): "full" | "soon-full" | "well" {
  if (unsent === undefined || unsent * 100 < unsentLimit * PACKAGES_SOON_PERCENT) return "well";
  return unsent >= unsentLimit ? "full" : "soon-full";
}

/** Facts about the key in the card; undefined if no setting and no person has asked for the key. */
export function keyOf({ cardKey }: Facts): CardTlsKeyFacts | undefined {
  return cardKey?.wanted ? cardKey : undefined;
}

/**
 * The days that the oldest unsent receipt has waited, if they are `wanted` by the rule of the card's country: from the
 * last of the country's days on they are `late`, on the day before it `soon`. Else false.
 */
export function unsentReceipts(facts: Facts, wanted: "late" | "soon") {
  const { oldestUnsent, now, environment, shop, refusesUnsent } = facts;
  const country = readyCard(facts)?.identity.country ?? environment?.parameters.country;
  const limit = country === undefined ? undefined : countryOf(country)?.receiptDays?.value;
  // Report nothing for an emulator without an authority, because it cannot send receipts.
  if (oldestUnsent === undefined || limit === undefined || !(shop || refusesUnsent)) return false;
  const days = wholeDays(now - oldestUnsent);
  return (wanted === "late" ? days >= limit - 1 : days === limit - 2) && { days, limit };
}

/** The findings about packages, by the authority's status. Other statuses are `packageWrong`. */
const PACKAGE_FINDINGS: Readonly<Record<number, PackageFinding>> = {
  2: "packageSignature",
  3: "packageData",
  5: "packageRates",
  6: "packageRevoked",
};

type PackageFinding = Extract<FindingKey, `package${string}`>;

/** The definition of a finding about packages that the authority found wrong, or that could not be made. */
export function wrongPackage(finding: PackageFinding) {
  const when = ({ wrongPackages }: Facts) => {
    const of = (status: number | null) =>
      status === null ? "packageUnmade" : (PACKAGE_FINDINGS[status] ?? "packageWrong");
    const meant = wrongPackages.filter(({ status }) => of(status) === finding);
    return meant.length > 0 && { counters: shortened(meant.map(({ number }) => number.split("-").at(-1))) };
  };
  return { code: "9017", affects: "audit packages", action: "ask-authority", when } as const;
}

export function countersText(sales: readonly MissingSales[]): string {
  return shortened(sales.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)));
}

/** Changes as names and values. The text has no words, because texts in three languages contain it. */
export function changesText(changes: readonly ConfigurationChange[]): string {
  const texts = changes.map(({ name, before, after }) => `${name} ${before ?? "–"} → ${after ?? "–"}`);
  return shortened(texts, MOST_CHANGES, "; ");
}

export function shortened(texts: readonly (string | undefined)[], most = MOST_COUNTERS, between = ", "): string {
  return [...texts.slice(0, most), ...(texts.length > most ? ["..."] : [])].join(between);
}

/** Percent of the setting unsentLimit from which we warn. */
const PACKAGES_SOON_PERCENT = 90;
/** Maximum number of counters, and of changes, that a finding names. */
const MOST_COUNTERS = 10;
const MOST_CHANGES = 3;
