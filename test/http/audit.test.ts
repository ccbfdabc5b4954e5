/** The audit of a card: its packages in order, the proof, and sales after it, also across kills and refusals. */
import { expect, it, vi } from "vitest";
import { AuthorityError } from "../../src/authority/tax-authority.js";
import type { AuditsRecord } from "../../src/console/records/audits.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { checkUnsent, packagesOf } from "../../src/doctor/packages.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { unsentSales } from "../../src/state/unsent-sales.js";
import { asleep } from "../support/asleep.js";
import { AuditingAuthority, type AuthorityMoment } from "../support/auditing-authority.js";
import { tillseal } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { LAST_SIGNED, TamperedReader } from "../support/tampered-till.js";
import { openTill, sale, type Till, type TillOptions } from "../support/till.js";

const START_AUDIT = 0x21;
const END_AUDIT = 0x20;

/** The authority is asked only when a test says so. */
const timer = { now: () => 0, sleep: asleep };

const until = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 10_000 });

const opened = (authority: AuditingAuthority, options: TillOptions = {}) =>
  openTill({ timer, openAuthority: () => authority, ...options });

const codesOf = async (till: Till) => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc;
const sells = async (till: Till, times: number, amount = 100) => {
  const price = { unitPrice: amount, totalAmount: amount };
  for (let i = 0; i < times; i++) {
    const invoice = sale({ items: [{ name: "Tea", quantity: 1, labels: ["A"], ...price }] });
    expect((await till.sell(invoice)).status).toBe(200);
  }
};
const round = async (till: Till, authority: AuditingAuthority) => {
  const { asked } = authority;
  void till.service.talkToAuthority();
  await until(() => expect(authority.asked).toBeGreaterThan(asked));
};

it("the service sends the packages after one whose content the authority rejects", async () => {
  const authority = new AuditingAuthority();
  authority.status = 3;
  const till = await opened(authority);
  await sells(till, 2);
  await round(till, authority);
  await until(() => expect(authority.counters).toEqual([1, 2]));
});

const auditsOf = async (till: Till) => (await till.call("GET", "/console/audit")).json<AuditsRecord>().cards;

it("the service sends the packages after one that the authority refuses, and sends that one again on demand", async () => {
  const authority = new AuditingAuthority();
  authority.refuses.set(2, 400);
  const till = await opened(authority);
  await sells(till, 3);
  await round(till, authority);
  await until(() => expect(authority.counters).toEqual([1, 3]));
  await until(async () =>
    expect(await auditsOf(till)).toMatchObject([
      { packages: "someToSend", refused: [{ number: "TESTCARD-TESTCARD-2", reason: "it says HTTP 400" }] },
    ]),
  );
  expect(await codesOf(till)).toContain("0210");
  await round(till, authority);
  expect(authority.counters).toEqual([1, 3]);
  authority.refuses.clear();
  expect((await till.call("POST", "/console/audit/start")).json()).toMatchObject({ begun: true });
  await until(() => expect(authority.counters).toEqual([1, 3, 2]));
  await until(async () => expect(await auditsOf(till)).toMatchObject([{ packages: "allSent", refused: [] }]));
});

it("the service shows a refused package in the doctor and in tillseal audit status", async () => {
  const dataDir = temporaryFolder();
  const authority = new AuditingAuthority();
  const till = await opened(authority, { settings: { dataDir } });
  await sells(till, 2);
  await round(till, authority);
  await until(() => expect(authority.counters).toEqual([1, 2]));
  const checked = () =>
    StoreReading.open(dataDir).use(async (store) => {
      return [...(await packagesOf(store.audits())), await checkUnsent(store.audits())];
    });
  expect(await checked()).toMatchObject([
    { subject: "audit packages", verdict: "ok" },
    { subject: "unsent receipts", verdict: "ok" },
  ]);
  authority.refuses.set(3, 422);
  authority.status = 3;
  await sells(till, 2);
  await round(till, authority);
  await until(() => expect(authority.counters).toEqual([1, 2, 4]));
  await till.stop();
  expect(await checked()).toMatchObject([
    {
      verdict: "warn",
      message: expect.stringMatching(
        /^the tax authority has refused packages: 1, the first TESTCARD-TESTCARD-3 \(.*it says HTTP 422; /,
      ),
    },
    {
      subject: "unsent receipts",
      verdict: "warn",
      message: expect.stringMatching(/^1 receipt may not have .*: 1 not sent since 20.*, and not exported to a stick/),
    },
  ]);
  const { wrongPackages } = await StoreReading.open(dataDir).use((store) => unsentSales(store.audits()));
  expect(wrongPackages).toMatchObject([{ number: "TESTCARD-TESTCARD-4", status: 3 }]);
  const { stdout } = await tillseal(["audit", "status", "--data-dir", dataDir]);
  expect(stdout).toMatch(/^ {2}Refused by the authority: TESTCARD-TESTCARD-3, 20.*: it says HTTP 422$/m);
});

it.each([401, 403, 404])(
  "the service holds all packages, says so and sends them later when refused with %i",
  async (status) => {
    const authority = new AuditingAuthority();
    authority.refuses.set(1, status);
    const till = await opened(authority);
    await sells(till, 2);
    await round(till, authority);
    await until(async () => {
      const { problem } = (await till.call("GET", "/console/till")).json<TillRecord>().authority;
      expect(problem).toContain("the package of TESTCARD-TESTCARD-1 was refused, and later packages wait");
    });
    expect(authority.counters).toEqual([]);
    expect(await auditsOf(till)).toMatchObject([{ refused: [] }]);
    authority.refuses.clear();
    await round(till, authority);
    await until(() => expect(authority.counters).toEqual([1, 2]));
  },
);

it("the service stops sending when the authority refuses everything", async () => {
  const authority = new AuditingAuthority();
  for (let counter = 1; counter <= 20; counter++) authority.refuses.set(counter, 400);
  const till = await opened(authority);
  await sells(till, 12);
  await round(till, authority);
  await until(async () => {
    const { problem } = (await till.call("GET", "/console/till")).json<TillRecord>().authority;
    expect(problem).toContain("the package of TESTCARD-TESTCARD-11 was refused, and later packages wait");
  });
  expect((await auditsOf(till))[0]?.refused).toHaveLength(10);
});

/** Whether the kill comes before or after the card executes the instruction. */
type CardMoment = readonly ["before" | "after", number];

const CARD_MOMENTS: readonly CardMoment[] = [
  ["before", START_AUDIT],
  ["after", START_AUDIT],
  ["before", END_AUDIT],
  ["after", END_AUDIT],
];
const MOMENTS: readonly AuthorityMoment[] = [
  "before submit",
  "after submit",
  "before request",
  "after request",
  "before report",
];

async function disturbed(strike: (kill: () => void, reader: TamperedReader, authority: AuditingAuthority) => void) {
  const dataDir = temporaryFolder();
  const card = makeCard({ limit: "400" });
  const authority = new AuditingAuthority();
  const tampered = new TamperedReader();
  tampered.reader.insert(card);
  const first = await opened(authority, { card, reader: tampered.reader, settings: { dataDir } });
  await sells(first, 3);
  const killed = new Promise<void>((resolve) => {
    strike(
      () => {
        void first.service.kill();
        resolve();
      },
      tampered,
      authority,
    );
  });
  void first.service.talkToAuthority();
  await killed;
  await first.service.kill();
  tampered.asItIs();
  authority.at = () => undefined;
  authority.closed = false;
  const second = await opened(authority, { card, reader: tampered.reader, settings: { dataDir } });
  await sells(second, 1, 50);
  for (let i = 0; i < 3; i++) await round(second, authority);
  await until(async () => {
    void second.service.talkToAuthority();
    expect([500_000n, 0n]).toContain(second.cardState().sum);
    expect(authority.waiting).toEqual([]);
  });
  return { authority, second };
}

it.each(MOMENTS)("the service resumes after a kill %s of the authority's API", async (moment) => {
  const { authority, second } = await disturbed((kill, _, at) => {
    at.at = (now) => {
      if (now !== moment) return;
      kill();
      throw new AuthorityError("unreachable", "killed");
    };
  });
  expect([...new Set(authority.counters)].toSorted()).toEqual([1, 2, 3, 4]);
  await sells(second, 1);
});

it.each(CARD_MOMENTS)("the service resumes after a kill %s the card's instruction %i", async (when, instruction) => {
  const { authority, second } = await disturbed((kill, reader) => {
    reader.once(instruction, async (answer) => {
      const done = when === "after" ? await answer() : Uint8Array.of(0x6f, 0x00);
      kill();
      return done;
    });
  });
  expect(authority.counters).toEqual([1, 2, 3, 4]);
  await sells(second, 1);
});

it("the service says that an audit needs the card's PIN, and starts it after the PIN", async () => {
  const till = await opened(new AuditingAuthority(), { pinVerified: false });
  const start = async () => (await till.call("POST", "/console/audit/start")).json();
  expect(await start()).toMatchObject({
    begun: false,
    obstacle: "pin",
    reason: expect.stringContaining("the card asks for its PIN; enter it first"),
  });
  await till.pin();
  expect(await start()).toMatchObject({ begun: true });
});

it("the service waits while a sale is in doubt", async () => {
  const authority = new AuditingAuthority();
  const tampered = new TamperedReader();
  const card = makeCard({ limit: "400" });
  tampered.reader.insert(card);
  const till = await opened(authority, { card, reader: tampered.reader });
  await sells(till, 3);
  tampered.on(LAST_SIGNED, async () => Uint8Array.of(0x6f, 0x00));
  tampered.once(0x13, async (answer) => {
    await answer();
    return Uint8Array.of(0x90);
  });
  await till.sell(sale(), { RequestId: "doubt" });
  await round(till, authority);
  await round(till, authority);
  expect(tampered.times(START_AUDIT)).toBe(0);
  tampered.asItIs();
  await till.pin();
  await round(till, authority);
  await until(() => expect(card.memory.load().sum).toBe(0n));
  expect(authority.counters).toEqual([1, 2, 3, 4]);
});

it("the service warns, then refuses sales with 1100 when too many wait for a proof", async () => {
  const authority = new AuditingAuthority();
  authority.holds = true;
  const till = await opened(authority, { settings: { unsentLimit: 10, auditShare: 100, auditAge: 0 } });
  await sells(till, 8);
  expect(await codesOf(till)).not.toContain("1100");
  const first = await till.sell(sale(), { RequestId: "nine" });
  expect(await codesOf(till)).toContain("1100");
  await sells(till, 1);
  const refused = await till.sell(sale(), { RequestId: "eleven" });
  expect([refused.status, refused.json()]).toMatchObject([400, { code: "1100" }]);
  expect((await till.sell(sale(), { RequestId: "nine" })).text).toBe(first.text);
  const record = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect(record.findings[0]).toMatchObject({ key: "packagesFull", code: "1100", severity: "stops" });
});

it("the service lets a proof wait while the card does not show whether it has signed a sale in doubt", async () => {
  const authority = new AuditingAuthority();
  authority.holds = true;
  const tampered = new TamperedReader();
  const card = makeCard({ limit: "400", lastSignedInvoice: false });
  tampered.reader.insert(card);
  const till = await opened(authority, { card, reader: tampered.reader });
  await sells(till, 3);
  await round(till, authority);
  await until(() => expect(authority.requests).toHaveLength(1));
  const training = sale({ invoiceType: "Training" });
  tampered.loseNextAnswer();
  expect((await till.sell(training, { RequestId: "doubt" })).status).not.toBe(200);
  tampered.reader.insert(card);
  await till.pin();
  authority.prove();
  await round(till, authority);
  await round(till, authority);
  expect([tampered.times(END_AUDIT), authority.reports]).toEqual([0, []]);
  await till.sell(training, { RequestId: "settles" });
  await round(till, authority);
  await until(() => expect(authority.reports).toMatchObject([[expect.any(String), true]]));
  expect(card.memory.load().sum).toBe(0n);
});
