/** Gathers the facts of the running service, and derives the findings and the codes from them. */
import type { Clock } from "../base/clock.js";
import type { EpochMs } from "../base/epoch-ms.js";
import type { InForce } from "../config/environment-in-force.js";
import type { ToRead } from "../config/sent-environments.js";
import type { FiscalCode } from "../fiscal/codes.js";
import { isAuditDue } from "../fiscal/limit.js";
import type { Doubts } from "../fiscalizer/doubts.js";
import type { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import type { StoreHealth } from "../fiscalizer/store-health.js";
import { type Caller, readyUid, type SecureElement } from "../secure-element/secure-element.js";
import type { CardQuestions } from "./card-question.js";
import type { DiskWatch } from "./disk.js";
import type { Facts } from "./facts.js";
import type { Finding } from "./finding.js";
import { findingsOf } from "./findings.js";
import { generalCodes, makerCodes, ofThisCard } from "./status-codes.js";
import type { StoreFacts, StoreFactsReader } from "./store-facts.js";
import type { AuditReading } from "./unsent-sales.js";

/** The facts that parts of the service keep in memory. */
type Kept = Pick<Facts, "contact" | "clockCheck" | "damagedEntries" | "indexDamaged" | "keepsLog" | "backupsAhead"> &
  Pick<Facts, "refusesUnsent" | "cardKey">;

export interface ServiceStateSources extends Pick<Facts, "shop" | "unsentLimit"> {
  readonly secureElement: SecureElement;
  readonly fiscalizer: Fiscalizer;
  readonly clock: Clock;
  readonly inForce: () => InForce;
  readonly toRead: (now: EpochMs) => ToRead;
  /** Compares the clock with the time server, unless that was done in the last minute. */
  readonly measureClock: () => Promise<void> | undefined;
  readonly questions: CardQuestions;
  readonly health: StoreHealth;
  readonly stored: StoreFactsReader;
  readonly audits: AuditReading;
  readonly kept: () => Kept;
  readonly disk: Pick<DiskWatch, "folder" | "free">;
  readonly onState?: ((state: ServiceState) => void) | undefined;
}

export interface ServiceState extends Facts, StoreFacts {
  /** Seconds since the card gave its sum and limit; without them, seconds since the service read the card. */
  readonly age: number;
  readonly auditRequired: boolean;
  /** What stops sales or will stop them, the most important finding first. */
  readonly findings: readonly Finding[];
  /** General status codes (docs/interface.md, "Status record"). */
  readonly codes: readonly FiscalCode[];
  /** The maker's own codes in `mssc`. */
  readonly makerCodes: readonly string[];
}

const NO_DOUBTS: Doubts = { sales: [], unwritten: 0, reports: [] };

export async function serviceState(sources: ServiceStateSources, by?: Caller): Promise<ServiceState> {
  const { secureElement, fiscalizer, clock, health, shop, unsentLimit } = sources;
  const now = clock.now();
  const answer = await sources.questions.amounts.answer(by);
  const uid = readyUid(secureElement.state);
  const problem = await health.problem();
  // Count the doubts after `problem()`, because that call tries the store again and so writes unwritten answers.
  const doubts = await fiscalizer.doubts().catch(() => undefined);
  const freeBytes = await sources.disk.free();
  const stored = await sources.stored.read(uid);
  // Nothing waits from here on, so that no card comes or goes before the answer.
  if (readyUid(secureElement.state) !== uid) return serviceState(sources, by);
  const { environment, source: environmentSource, unusable } = sources.inForce();
  const facts: Facts & StoreFacts = {
    now,
    state: secureElement.state,
    amount: answer?.value,
    environment,
    environmentSource,
    doubts: doubts ?? NO_DOUBTS,
    storeProblem: problem ?? (doubts ? undefined : { fault: "unreadable", folder: health.folder }),
    ...sources.kept(),
    freeBytes,
    unusable,
    toRead: sources.toRead(now),
    ...stored,
    unsentLimit,
    shop,
  };
  const findings = findingsOf(facts);
  const ofCard = ofThisCard(findings, facts);
  const service: ServiceState = {
    ...facts,
    age: answer?.age ?? sources.questions.age(),
    auditRequired: facts.amount !== undefined && isAuditDue(facts.amount),
    findings,
    codes: generalCodes(ofCard, facts.contact.contact),
    makerCodes: makerCodes(ofCard, facts),
  };
  sources.onState?.(service);
  return service;
}
