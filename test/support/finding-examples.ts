/** For each finding, facts with which it applies. */

import type { CardTlsKeyState } from "../../src/authority/card-tls-key.js";
import { AuthorityError } from "../../src/authority/tax-authority.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import type { Doubts } from "../../src/fiscalizer/doubts.js";
import type { StoredCommand } from "../../src/ledger/authority-ledger.js";
import type { ReportKind } from "../../src/ledger/ledger.js";
import type { CardIdentity, SecureElementState } from "../../src/secure-element/secure-element.js";
import type { Facts } from "../../src/state/facts.js";
import { LOW_DISK_BYTES } from "../../src/state/rules.js";
import type { FindingKey } from "../../src/state/texts/english.js";

const DAY = 24 * 3600 * 1000;
const NOW = Date.UTC(2026, 10, 1, 12);
const UID = "TESTCARD";

type ReadyCard = Extract<SecureElementState, { kind: "ready" }>;

const IDENTITY = {
  uid: UID,
  country: "RS",
  isTest: false,
  validFrom: NOW - 900 * DAY,
  validTo: NOW + 91 * DAY,
} as CardIdentity;
const SESSION = { session: 1, pin: "verified", refuses: undefined, silent: false } as const;
const CARD: ReadyCard = { kind: "ready", identity: IDENTITY, ...SESSION };
const ENVIRONMENT = loadNamedEnvironment("specification");
const NO_DOUBTS: Doubts = { sales: [], unwritten: 0, reports: [] };

/** A shop that can sell, with values on the right side of each limit. */
export const WELL: Facts = {
  now: NOW,
  state: CARD,
  amount: { sum: 749n, limit: 1000n },
  environment: ENVIRONMENT,
  environmentSource: { kind: "file", name: "specification" },
  contact: { contact: "reachable" },
  doubts: NO_DOUBTS,
  storeProblem: undefined,
  damagedEntries: 0,
  indexDamaged: false,
  keepsLog: false,
  backupsAhead: 0,
  clockCheck: { server: "ntp://time.test", ahead: 0, problem: undefined, off: false, at: NOW },
  freeBytes: LOW_DISK_BYTES,
  refusal: undefined,
  unsent: 89,
  unusable: { timeZone: undefined, languages: [] },
  toRead: { held: [], made: [] },
  oldestUnsent: NOW - 3 * DAY + 1,
  wrongPackages: [],
  missingSales: [],
  unsentLimit: 100,
  oldCard: undefined,
  refusesUnsent: true,
  cardKey: undefined,
  shop: true,
};

const card = (changes: Partial<ReadyCard>) => ({ state: { ...CARD, ...changes } });
const identity = (changes: Partial<CardIdentity>) => card({ identity: { ...IDENTITY, ...changes } });
const store = (fault: NonNullable<Facts["storeProblem"]>["fault"]) => ({ storeProblem: { fault, folder: "/data" } });
const doubts = (changes: Partial<Doubts>) => ({ doubts: { ...NO_DOUBTS, ...changes } });
const sale = (uid: string) => doubts({ sales: [{ entry: { uid } as never, wayOut: "pin" }] });
const wrong = (status: number | null) => ({ entry: 1, number: `${UID}-${UID}-7`, status, at: NOW });
const noCard = (changes: object) => ({
  state: { reason: "", why: { code: "noCard" }, ...changes } as SecureElementState,
});
const noRates = (contact: Facts["contact"]["contact"], damaged = false): Partial<Facts> => ({
  environment: undefined,
  environmentSource: { kind: "nothing", damaged },
  contact: { contact },
});
const cardKey = (state: CardTlsKeyState, problem?: AuthorityError): Partial<Facts> => ({
  cardKey: { state, wanted: true, problem, validTo: NOW + DAY },
});
const report = (kind: ReportKind) =>
  doubts({
    reports: [{ id: 1, uid: UID, kind, from: 1, to: 2, at: NOW, requestId: null, confirmedAt: null, adopted: 0 }],
  });

export const EXAMPLES: Readonly<Record<FindingKey, Partial<Facts>>> = {
  held: doubts({ unwritten: 1 }),
  diskFull: store("full"),
  storeGone: store("gone"),
  storeTaken: store("taken-over"),
  storeBusy: store("busy"),
  storeDamaged: store("unreadable"),
  notStored: store("read-only"),
  noReader: noCard({ kind: "no-card", noReader: true }),
  noCard: noCard({ kind: "no-card", noReader: false }),
  starting: { state: { kind: "unreachable", reason: "", why: { code: "notStarted" } } },
  unreachable: card({ silent: true }),
  working: card({ signingSince: NOW - 5_000 }),
  unsupported: noCard({ kind: "unsupported" }),
  locked: card({ pin: "locked" }),
  ratesDamaged: noRates("reachable", true),
  noRatesNow: { environment: ENVIRONMENT && { ...ENVIRONMENT, taxRates: [] } },
  waitsForAuthority: noRates("not-reachable"),
  notConfigured: noRates("not-asked"),
  certificateNotYet: identity({ validFrom: NOW + DAY }),
  certificateEnded: identity({ validTo: NOW - DAY }),
  disabled: card({ refuses: "disabled" }),
  cardRefuses: card({ refuses: "refused" }),
  counterAtEnd: card({ refuses: "counter-at-end" }),
  limitReached: { amount: { sum: 1000n, limit: 1000n } },
  packagesFull: { unsent: 100 },
  oldCardUnproven: { oldCard: { uid: "OTHERONE", sales: 3 } },
  pinNeeded: card({ pin: "required" }),
  inDoubt: sale(UID),
  otherInDoubt: sale("OTHERONE"),
  testCard: identity({ isTest: true }),
  swapped: report("swapped"),
  back: report("back"),
  behind: report("behind"),
  lost: report("lost"),
  unproven: report("unproven"),
  indexDamaged: { indexDamaged: true },
  changesWait: { toRead: { held: [{} as StoredCommand], made: [] } },
  configurationChanged: {
    toRead: {
      held: [],
      made: [{ id: 1, uid: UID, at: NOW, changes: [{ name: "A", group: null, before: "20 VAT", after: "0 VAT" }] }],
    },
  },
  entryDamaged: { damagedEntries: 2 },
  logKept: { keepsLog: true },
  diskLow: { freeBytes: LOW_DISK_BYTES - 1 },
  certificateEnds: identity({ validTo: NOW + 91 * DAY - 1 }),
  packagesSoon: { unsent: 90 },
  keyLocked: cardKey({ kind: "locked" }),
  keyExpired: { cardKey: { state: { kind: "ready" }, wanted: true, problem: undefined, validTo: NOW - DAY } },
  keyAttemptMissing: cardKey({ kind: "attempt-missing", attempts: { left: 2, full: 5 } }),
  keyPinNeeded: cardKey({ kind: "pin-needed", attempts: { left: 5, full: 5 }, ownPin: "untried" }),
  keyMissing: cardKey({ kind: "no-key", reason: "the card has no PKI applet" }),
  keyRefused: cardKey({ kind: "ready" }, new AuthorityError("not-trusted", "the certificate has expired")),
  wasDisabled: { refusal: { why: "disabled", at: NOW - DAY } },
  receiptsLate: { oldestUnsent: NOW - 4 * DAY },
  salesMissing: { missingSales: [{ uid: UID, from: 3, to: 5 }] },
  receiptsSoonLate: { oldestUnsent: NOW - 3 * DAY },
  packageSignature: { wrongPackages: [wrong(2)] },
  packageData: { wrongPackages: [wrong(3)] },
  packageRates: { wrongPackages: [wrong(5)] },
  packageRevoked: { wrongPackages: [wrong(6)] },
  packageWrong: { wrongPackages: [wrong(9)] },
  packageUnmade: { wrongPackages: [wrong(null)] },
  timeZoneUnknown: { unusable: { timeZone: "Moon Standard Time", languages: [] } },
  languagesUnknown: { unusable: { timeZone: undefined, languages: ["fj-FJ"] } },
  auditDue: { amount: { sum: 750n, limit: 1000n } },
  backupsAhead: { backupsAhead: 2 },
  clockOff: { clockCheck: { server: "ntp://time.test", ahead: 9_000_000, problem: undefined, off: true, at: NOW } },
};
