/** Answers the console's request for the state of the till: the content of the status, as a record. */
import { sourcesOf } from "../config/environment-in-force.js";
import { unprovenOf } from "../fiscal/countries.js";
import { toDecimalText } from "../fiscal/money.js";
import { chosenFrom, rateGroupAt, type TaxRateGroup } from "../fiscal/tax.js";
import { toIso } from "../fiscal/time.js";
import type { CallHandler } from "../http/endpoint-router.js";
import type { Trust } from "../http/trust.js";
import type { Receipts } from "../ledger/receipts.js";
import type { SecureElementState } from "../secure-element/secure-element.js";
import type { CardQuestions } from "../state/card-question.js";
import { type ServiceState, type ServiceStateSources, serviceState } from "../state/service-state.js";
import type { ClockCheck } from "../state/time-watch.js";
import type { AuditParts } from "./audit.js";
import type { AuditState, ClockRecord, RateRecord, TillCard, TillRecord } from "./records/till.js";

/** Number of recent receipts in the record. */
const LAST = 5;

interface TillParts {
  readonly sources: ServiceStateSources;
  readonly receipts: Receipts;
  readonly trusts: Trust;
  readonly auditParts: Pick<AuditParts, "audits" | "isConnected">;
  readonly technician: string | undefined;
}

export function getTill({ sources, receipts, trusts, auditParts, technician }: TillParts): CallHandler {
  return async ({ request }): Promise<TillRecord> => {
    const service = await serviceState(sources);
    const { now, state, amount, environment, environmentSource: source, findings, contact, clockCheck } = service;
    const trusted = trusts(request);
    return {
      time: toIso(now),
      codes: service.codes,
      card: await tillCard(state, sources.questions),
      // Only trusted callers get the sum, because it shows the shop's turnover.
      audit: amount && trusted ? { sum: toDecimalText(amount.sum), limit: toDecimalText(amount.limit) } : null,
      auditState: await auditState(service, auditParts),
      technician: technician ?? null,
      findings,
      environment: environment
        ? {
            name: environment.parameters.environmentName,
            organization: environment.parameters.organizationName,
            country: environment.parameters.country,
            unproven: unprovenOf(environment.parameters.country),
            timeZone: environment.timeZone,
            languages: [...new Set(environment.languages.map(({ prints }) => prints))],
            file: source.kind === "file" ? source.name : null,
            sources: source.kind === "store" ? sourcesOf(source.values, now) : [],
          }
        : null,
      authority: {
        contact: contact.contact,
        since: contact.since === undefined ? null : toIso(contact.since),
        at: contact.at === undefined ? null : toIso(contact.at),
        // Only trusted callers get the problem, because it may name the authority's address and local files.
        problem: (trusted && contact.problem) || null,
      },
      clock: clockCheck ? clockRecord(clockCheck) : null,
      rates: environment ? rateRecords(environment.taxRates, now) : [],
      last: trusted ? latestOf(receipts) : [],
    };
  };
}

/** The newest receipts; null if they cannot be read. The findings then have the reason. */
function latestOf(receipts: Receipts): TillRecord["last"] {
  try {
    return receipts.latest(LAST);
  } catch {
    return null;
  }
}

/**
 * Whether a person can start an audit now. A person can also start one before the authority was asked for the first
 * time: the audit continues with the authority's first answer.
 */
async function auditState(
  { state, contact }: ServiceState,
  { audits, isConnected }: TillParts["auditParts"],
): Promise<AuditState> {
  if (state.kind !== "ready") return "none";
  if (!isConnected() || contact.contact === "not-reachable") return "no-connection";
  const open = await audits.openAudit(state.identity.uid).catch(() => undefined);
  return open ? "runs" : "possible";
}

function clockRecord({ server, ahead, at, off, problem }: ClockCheck): ClockRecord {
  return { server, ahead: ahead === undefined ? null : ahead / 1000, at: toIso(at), off, problem: problem ?? null };
}

async function tillCard(state: SecureElementState, questions: CardQuestions): Promise<TillCard> {
  if (state.kind === "no-card") {
    const { reason, why, noReader } = state;
    return { state: "no-card", reason, why, noReader };
  }
  if (state.kind !== "ready") return { state: state.kind, reason: state.reason, why: state.why };
  const { uid, appletVersion, validFrom, validTo, taxpayer } = state.identity;
  // Ask the card for its PIN attempts only when they matter, so that a busy card gets no needless question.
  const tries = state.pin === "required" ? await questions.pinTriesLeft.answer() : undefined;
  const pinTriesLeft = tries?.value.pinTriesLeft ?? null;
  const validity = { validFrom: toIso(validFrom), validTo: toIso(validTo) };
  const details = { pin: state.pin, pinTriesLeft, refuses: state.refuses ?? null };
  return { state: "ready", uid, appletVersion, ...validity, ...details, taxpayer };
}

/** Converts the groups of tax rates to records, with the newest group first. */
function rateRecords(groups: readonly TaxRateGroup[], now: number): RateRecord[] {
  const current = rateGroupAt(groups, now);
  const record = (group: TaxRateGroup): RateRecord => ({
    validFrom: toIso(group.validFrom),
    current: group === current,
    rates: group.taxCategories.flatMap(({ name, taxRates }) =>
      taxRates.map(({ label, rate }) => ({ label, category: name, rate: toDecimalText(rate) })),
    ),
  });
  return chosenFrom(groups, now)
    .toSorted((a, b) => b.validFrom - a.validFrom)
    .map(record);
}
