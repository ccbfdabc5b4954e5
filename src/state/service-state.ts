/** The service's current state: card, PIN, audit, and the codes for it. */
import type { AuthorityContact, Contact } from "../authority/contact.js";
import type { EnvironmentSource, InForce } from "../authority/environment-in-force.js";
import type { Clock } from "../base/clock.js";
import type { FiscalCode } from "../fiscal/codes.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { isAuditDue, isLimitReached } from "../fiscal/limit.js";
import { rateGroupAt } from "../fiscal/tax.js";
import type { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import type { StoreHealth } from "../fiscalizer/store-health.js";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { AmountStatus, Caller, SecureElement, SecureElementState } from "../secure-element/secure-element.js";
import type { CardQuestions } from "./card-question.js";
import type { DiskWatch } from "./disk.js";
import { type MakerFindings, makerCodes } from "./maker-codes.js";
import { certificateState, diskState, packagesState } from "./rules.js";
import type { ClockCheck } from "./time-watch.js";

export interface ServiceStateSources {
  readonly secureElement: SecureElement;
  readonly fiscalizer: Fiscalizer;
  readonly clock: Clock;
  readonly authority: () => Contact;
  /** The current environment, and its source. */
  readonly inForce: () => InForce;
  /** Result of the last comparison with the time server; undefined before the first. */
  readonly clockCheck: () => ClockCheck | undefined;
  readonly questions: CardQuestions;
  /** Whether receipts go to customers: the card comes from a real reader. */
  readonly shop: boolean;
  readonly health: StoreHealth;
  readonly audits: Pick<AuditLedger, "unsent">;
  /** Number of sales that may wait for a proof of audit. */
  readonly unsentLimit: number;
  /** Whether further sales are refused: only if the service has a connection to the authority. */
  readonly refusesUnsent: boolean;
  /** The data folder's disk. */
  readonly disk: Pick<DiskWatch, "free">;
  /** Called with each state that was determined. */
  readonly onState?: ((state: ServiceState) => void) | undefined;
}

export interface ServiceState extends MakerFindings {
  /** ms since the epoch. */
  readonly now: number;
  readonly state: SecureElementState;
  /** Undefined if the card does not say. */
  readonly amount: AmountStatus | undefined;
  /** Age of the amounts in seconds. */
  readonly age: number | undefined;
  readonly environment: FiscalEnvironment | undefined;
  readonly environmentSource: EnvironmentSource;
  readonly contact: Contact;
  readonly auditRequired: boolean;
  /** Number of the card's sales without a proof of audit; undefined if unknown. */
  readonly unsent: number | undefined;
  /** Whether the next sale is refused because of them. */
  readonly packagesFull: boolean;
  /** General status codes (specification, "Status record"). */
  readonly codes: readonly FiscalCode[];
  /** The maker's own codes in `mssc`. */
  readonly makerCodes: readonly string[];
  /** Free bytes on the data folder's disk; undefined if the system does not say. */
  readonly freeBytes: number | undefined;
}

export async function serviceState(sources: ServiceStateSources, by?: Caller): Promise<ServiceState> {
  const { secureElement, fiscalizer, clock, authority, inForce, questions, shop, health } = sources;
  const now = clock.now();
  const answer = await questions.amounts.answer(by);
  // Read the state after asking the card, so that a card that was just removed is reported.
  const { state } = secureElement;
  const amount = answer?.value;
  const { environment, source: environmentSource } = inForce();
  const contact = authority();
  const testCard = shop && state.card === "ready" && state.identity.isTest;
  const storeProblem = await health.problem();
  // Count after trying the store again, which writes held sales.
  const doubts = await fiscalizer.doubts().catch(() => undefined);
  const unsent = await unsentOf(sources);
  const clockCheck = sources.clockCheck();
  const certificate = state.card === "ready" ? certificateState(state.identity, now) : undefined;
  const freeBytes = await sources.disk.free();
  // With the emulator, a full disk is not reported.
  const diskLow = shop && freeBytes !== undefined && diskState(freeBytes) !== "well";
  const maker = makerCodes({ doubts, testCard, storeProblem, clockCheck, certificate, diskLow });
  const packages = unsent === undefined ? "well" : packagesState(unsent, sources.unsentLimit);
  const service: ServiceState = {
    now,
    state,
    amount,
    environment,
    environmentSource,
    contact,
    doubts,
    testCard,
    storeProblem,
    certificate,
    freeBytes,
    diskLow,
    packagesFull: sources.refusesUnsent && packages === "full",
    unsent,
    makerCodes: maker,
    clockCheck,
    age: answer?.age,
    auditRequired: amount !== undefined && isAuditDue(amount),
    codes: generalCodes(
      { now, state, amount, environment, makerCodes: maker },
      { contact: contact.contact, isNearlyFull: packages !== "well" },
    ),
  };
  sources.onState?.(service);
  return service;
}

/** Undefined without a card, or if the store cannot be read: then `mssc` has a code for it. */
async function unsentOf({ secureElement: { state }, audits }: ServiceStateSources): Promise<number | undefined> {
  if (state.card !== "ready") return undefined;
  return audits.unsent(state.identity.uid).catch(() => undefined);
}

type Found = Pick<ServiceState, "now" | "state" | "amount" | "environment" | "makerCodes">;

function generalCodes(
  { now, state, amount, environment, makerCodes }: Found,
  { contact, isNearlyFull }: { contact: AuthorityContact; isNearlyFull: boolean },
): FiscalCode[] {
  const codes: FiscalCode[] = [cardCode(state), ...AUTHORITY_CODES[contact]];
  if (!environment || !rateGroupAt(environment.taxRates, now)) codes.push("2400");
  const refuses = state.card === "ready" && state.refuses !== undefined;
  if (refuses || (amount && isLimitReached(amount))) codes.push("2210");
  if (amount && isAuditDue(amount)) codes.push("1400");
  if (isNearlyFull) codes.push("1100");
  if (makerCodes.length > 0) codes.push("1999");
  return codes;
}

const AUTHORITY_CODES: Readonly<Record<AuthorityContact, readonly FiscalCode[]>> = {
  "not-asked": [],
  reachable: ["0210"],
  "not-reachable": ["0220"],
};
const PIN_CODES = { required: "1500", verified: "0100", locked: "2110" } as const;
const CARD_CODES = { "no-card": "1300", unreachable: "2220", unsupported: "2230" } as const;

function cardCode(state: SecureElementState): FiscalCode {
  if (state.card !== "ready") return CARD_CODES[state.card];
  return state.silent ? CARD_CODES.unreachable : PIN_CODES[state.pin];
}
