import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { makeDirective } from "../../emulator/pki/audit.js";
import { FIXTURE_KEYS, loadKeys } from "../../emulator/pki/keys.js";
import { AuthorityError, COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { restoreBackup } from "../../src/bookkeeping/backup/restore.js";
import type { ToReadRecord } from "../../src/console/records/audits.js";
import type { ChangesRecord } from "../../src/console/records/changes.js";
import type { CheckRecord } from "../../src/console/records/doctor.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import { asleep } from "../support/asleep.js";
import { makeCard } from "../support/emulated-card.js";
import { FakeAuthority, sentEnvironment } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";
import { changeStore } from "../support/store-file.js";
import { JSON_HEADERS, openTill, sale, type Till, type TillOptions } from "../support/till.js";

/** The code of a test card in `mssc`. */
const TEST_CARD = "9002";
const UID = "TESTCARD";
const NOON = Date.UTC(2026, 5, 1, 12);

interface Status {
  readonly mssc: string[];
  readonly gsc: string[];
  readonly taxAuthoritySince: string | null;
  readonly environmentSource: string;
  readonly supportedLanguages: string[];
  readonly currentTaxRates: { groupId: number } | null;
  readonly allTaxRates: { groupId: number }[];
}

const statusOf = async (till: Till) => (await till.call("GET", "/api/v3/status")).json<Status>();

/** Time passes, and the authority is asked, only when a test says so. */
function clock() {
  const time = { at: NOON };
  return { time, now: () => time.at, timer: { now: () => time.at, sleep: asleep } };
}

async function connected(authority: FakeAuthority, options: TillOptions = {}) {
  const { time, now, timer } = clock();
  const till = await openTill({ environment: null, openAuthority: () => authority, now, timer, ...options });
  const round = async () => {
    const { asked } = authority;
    void till.service.talkToAuthority();
    await vi.waitFor(() => expect(authority.asked).toBeGreaterThan(asked), 20_000);
  };
  return { till, time, round };
}

const until = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 5_000 });

it("the service sells without a restart as soon as the authority has configured the card, with its rates", async () => {
  const authority = new FakeAuthority();
  const { till, round } = await connected(authority);
  await until(async () => expect((await statusOf(till)).gsc).toEqual(["2400", "0100", "0210"]));
  expect((await till.sell()).json()).toMatchObject({ code: "2400" });
  const { findings } = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect(findings[0]).toMatchObject({ key: "waitsForAuthority" });
  authority.configure(UID);
  await round();
  await until(async () => expect((await statusOf(till)).gsc).toEqual(["0100", "0210"]));
  const status = await statusOf(till);
  expect(status).toMatchObject({
    environmentSource: "tax authority, since 2026-06-01T12:00:00.000Z",
    taxAuthoritySince: "2026-06-01T12:00:00.000Z",
    currentTaxRates: { groupId: 1 },
    supportedLanguages: ["en-US", "sr-Cyrl-RS", "sr-Latn-RS"],
  });
  expect((await till.sell()).status).toBe(200);
  expect((await till.call("GET", "/api/v3/environment-parameters")).json()).toMatchObject({
    organizationName: "Emulated Tax Authority",
    environmentSource: status.environmentSource,
  });
});

it("the service sells with its own rates once it has sent them, and refunds and copies what was sold with those of a file", async () => {
  const authority = new FakeAuthority();
  const { till, time, round } = await connected(authority);
  const { parameters, taxRates } = sentEnvironment();
  const [group] = taxRates;
  const free = group?.taxCategories.map((category) => ({
    ...category,
    taxRates: category.taxRates.map(({ label }) => ({ label, rate: 0 })),
  }));
  // In force later than each group of the authority.
  const planted = { groupId: 99, validFrom: new Date(NOON - 1).toISOString(), taxCategories: free };
  const commands = [
    { commandId: "r", type: COMMAND_TYPE.taxRates, payload: JSON.stringify([planted]), uid: UID },
    { commandId: "p", type: COMMAND_TYPE.configuration, payload: JSON.stringify(parameters), uid: UID },
  ];
  const post = (path: string, body: object) =>
    till.call("POST", `/console/audit/${path}`, { headers: JSON_HEADERS, body: { uid: UID, pin: "1234", ...body } });
  await post("commands", { commands: JSON.stringify(commands) });
  expect((await till.sell()).json()).toMatchObject({ code: "2400" });
  await post("confirm", { ids: [1, 2] });
  type Sold = { invoiceNumber: string; taxGroupRevision: number; taxItems: { amount: number }[] };
  const sell = async (more: object = {}) => (await till.sell(sale(more))).json<Sold>();
  const revision = async (more: object = {}) => (await sell(more)).taxGroupRevision;
  const sold = await sell();
  expect(sold).toMatchObject({ taxGroupRevision: 99, taxItems: [{ amount: 0 }] });

  time.at += 60_000;
  authority.configure(UID);
  await round();
  await until(async () => expect((await statusOf(till)).currentTaxRates).toEqual({ ...group, groupId: 1 }));
  expect((await statusOf(till)).allTaxRates.map(({ groupId }) => groupId)).not.toContain(99);
  expect(await revision()).toBe(1);
  const refund = { transactionType: "Refund", referentDocumentNumber: sold.invoiceNumber };
  expect([await revision(refund), await revision({ ...refund, transactionType: "Sale", invoiceType: "Copy" })]).toEqual(
    [99, 99],
  );
  expect(await revision({ ...refund, referentDocumentDT: new Date(NOON + 1000).toISOString() })).toBe(99);
  expect(await revision({ ...refund, referentDocumentDT: new Date(NOON - 86_400_000).toISOString() })).toBe(1);
});

const AT_NOON = "since 2026-06-01T12:00:00.000Z";
const ELSEWHERE = {
  commandId: "v",
  type: COMMAND_TYPE.verificationUrl,
  payload: "https://other.test/v/?vl=",
  uid: UID,
};

it.each([
  {
    what: "a file",
    status: `imported file, ${AT_NOON}`,
    rates: `imported file, ${AT_NOON}`,
    parameters: `imported file, ${AT_NOON}`,
    doctor: ["from a file that a person imported (2026"],
  },
  {
    what: "a backup",
    status: `restored backup, ${AT_NOON}`,
    rates: `restored backup, ${AT_NOON}`,
    parameters: `restored backup, ${AT_NOON}`,
    doctor: ["from a backup that a person restored (2026"],
  },
  {
    what: "the authority, with an address of a file",
    status: `tax authority (taxRates, parameters), ${AT_NOON}; imported file (root), ${AT_NOON}`,
    rates: `tax authority, ${AT_NOON}`,
    parameters: `tax authority (parameters), ${AT_NOON}; imported file (root), ${AT_NOON}`,
    doctor: [
      "which the tax authority sent (taxRates, parameters) (2026",
      "from a file that a person imported (root) (2026",
    ],
  },
])("status, doctor, the page and the record of changes name $what as the source", async (row) => {
  const authority = new FakeAuthority();
  let dataDir = temporaryFolder();
  let { till, round } = await connected(authority, { settings: { dataDir } });
  const post = (path: string, body: object) =>
    till.call("POST", `/console/audit/${path}`, { headers: JSON_HEADERS, body: { uid: UID, pin: "1234", ...body } });
  const take = (...commands: object[]) => post("commands", { commands: JSON.stringify(commands) });
  if (row.what === "a file") {
    const { parameters, taxRates } = sentEnvironment();
    await take(
      { commandId: "r", type: COMMAND_TYPE.taxRates, payload: JSON.stringify(taxRates), uid: UID },
      { commandId: "p", type: COMMAND_TYPE.configuration, payload: JSON.stringify(parameters), uid: UID },
    );
  } else {
    authority.configure(UID);
    await round();
    await until(async () => expect((await statusOf(till)).gsc).toEqual(["0100", "0210"]));
  }
  if (row.what === "a backup") {
    await till.stop();
    const file = join(temporaryFolder(), "backup.db");
    copyFileSync(join(dataDir, STORE_FILE), file);
    dataDir = temporaryFolder();
    await restoreBackup({ dataDir, file, at: NOON }, false, async () => false);
    ({ till, round } = await connected(new FakeAuthority(), { settings: { dataDir } }));
  }
  if (row.what.startsWith("the authority")) await take(ELSEWHERE);
  const { held } = (await till.call("GET", "/console/audit/changes")).json<ToReadRecord>();
  await post("confirm", { ids: held[0]?.ids, twice: true });
  expect((await statusOf(till)).environmentSource).toBe(row.status);
  const parameters = (await till.call("GET", "/api/v3/environment-parameters")).json();
  expect(parameters).toMatchObject({ environmentSource: row.status });
  const lines = (await till.call("GET", "/console/doctor")).json<CheckRecord[]>();
  expect(lines.filter(({ subject }) => subject === "tax rates").map(({ message }) => message)).toEqual(
    row.doctor.map((text) => expect.stringContaining(text)),
  );
  await round();
  await until(async () => {
    const { changes } = (await till.call("GET", "/console/changes")).json<ChangesRecord>();
    const sourceOf = (wanted: string) =>
      changes.find(({ kind }) => kind === wanted)?.facts.find(({ fact }) => fact === "source")?.to;
    expect([sourceOf("rates"), sourceOf("parameters")]).toEqual([row.rates, row.parameters]);
  });
});

it("the service applies rates from their validFrom while the service runs", async () => {
  const authority = FakeAuthority.configuring(UID);
  const [group] = sentEnvironment().taxRates;
  const next = { ...group, groupId: 2, validFrom: "2026-07-01T00:00:00.000Z" };
  authority.command(COMMAND_TYPE.taxRates, next, { uid: UID });
  const { till, time } = await connected(authority);
  await until(async () => expect((await statusOf(till)).allTaxRates).toHaveLength(2));
  expect((await statusOf(till)).currentTaxRates?.groupId).toBe(1);
  expect((await till.sell()).json()).toMatchObject({ taxGroupRevision: 1 });
  time.at = Date.UTC(2026, 6, 1);
  expect((await statusOf(till)).currentTaxRates?.groupId).toBe(2);
  expect((await till.sell()).json()).toMatchObject({ taxGroupRevision: 2 });
});

/** A data folder whose store has what the authority sent, after the service has stopped. */
async function configuredFolder(): Promise<string> {
  const authority = FakeAuthority.configuring(UID);
  const dataDir = temporaryFolder();
  const { till } = await connected(authority, { settings: { dataDir } });
  await until(async () => expect((await statusOf(till)).gsc).toEqual(["0100", "0210"]));
  await till.stop();
  return dataDir;
}

it("the service keeps what the authority sent after a restart, even when the authority does not answer", async () => {
  const dataDir = await configuredFolder();
  const gone = new FakeAuthority();
  gone.failure = new AuthorityError("unreachable", "nothing answers at https://authority.test");
  const { till } = await connected(gone, { settings: { dataDir } });
  await until(async () => expect((await statusOf(till)).gsc).toEqual(["0100", "0220"]));
  expect((await till.sell()).status).toBe(200);
  const { authority: authorityRecord, environment } = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect([authorityRecord, environment]).toMatchObject([
    {
      contact: "not-reachable",
      since: "2026-06-01T12:00:00.000Z",
      problem: "nothing answers at https://authority.test",
    },
    { file: null, sources: [{ source: "authority", since: "2026-06-01T12:00:00.000Z" }] },
  ]);
});

it("the service says since when the authority has not answered, and since when it answers again", async () => {
  const authority = new FakeAuthority();
  const { till, time, round } = await connected(authority);
  await until(async () => expect((await statusOf(till)).gsc).toContain("0210"));
  time.at = NOON + 1_000;
  authority.failure = new AuthorityError("unreachable", "nothing answers");
  await round();
  await until(async () => expect((await statusOf(till)).gsc).toContain("0220"));
  time.at = NOON + 2_000;
  await round();
  expect((await statusOf(till)).taxAuthoritySince).toBe("2026-06-01T12:00:01.000Z");
  time.at = NOON + 3_000;
  authority.failure = undefined;
  await round();
  await until(async () => expect((await statusOf(till)).gsc).toContain("0210"));
  expect((await statusOf(till)).taxAuthoritySince).toBe("2026-06-01T12:00:03.000Z");
  expect(authority.announced).toEqual([true, true]);
});

it("the service uses the environment file until the authority has sent everything, and names the source", async () => {
  const authority = new FakeAuthority();
  const { parameters, taxRates } = sentEnvironment("cyrillic");
  authority.command(COMMAND_TYPE.configuration, parameters, { uid: UID });
  const { till, round } = await connected(authority, { environment: "specification" });
  await until(() => expect(authority.reports).toHaveLength(1));
  expect(await statusOf(till)).toMatchObject({ environmentSource: "file specification" });
  authority.command(COMMAND_TYPE.taxRates, taxRates, { uid: UID });
  await round();
  await until(async () => expect((await statusOf(till)).environmentSource).toMatch(/^tax authority, since/));
  const { environment } = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect(environment?.name).toBe(parameters.environmentName);
});

it("the service keeps the languages of the settings whatever the authority sends", async () => {
  const authority = FakeAuthority.configuring(UID);
  const { till } = await connected(authority, { settings: { languages: ["sr-Latn-RS"] } });
  await until(async () => expect((await statusOf(till)).supportedLanguages).toEqual(["sr-Latn-RS"]));
  expect((await till.sell()).text).toContain("FISKALNI RAČUN");
});

it("the service sells and stops without waiting for an authority that hangs", async () => {
  const authority = new FakeAuthority();
  authority.announce = () => new Promise(() => undefined);
  const { till } = await connected(authority, { environment: "specification" });
  expect((await till.sell(sale())).status).toBe(200);
  expect((await statusOf(till)).gsc).toEqual(["0100"]);
  await till.stop();
  expect(authority.closed).toBe(true);
});

it("the service speaks for the new card after a swap, and configures it", async () => {
  const authorities = new Map([UID, "OTHERONE"].map((uid) => [uid, new FakeAuthority()]));
  for (const [uid, authority] of authorities) authority.configure(uid);
  const { till } = await connected(new FakeAuthority(), {
    openAuthority: ({ uid }) => authorities.get(uid) ?? new FakeAuthority(),
  });
  await until(async () => expect((await statusOf(till)).gsc).toEqual(["0100", "0210"]));
  till.reader.remove();
  expect((await statusOf(till)).gsc).toEqual(["1300", "0210"]);
  till.reader.insert(makeCard({ uid: "OTHERONE" }));
  await until(async () => expect((await statusOf(till)).gsc).toEqual(["1500", "0210"]));
  expect(authorities.get(UID)?.closed).toBe(true);
  expect(authorities.get("OTHERONE")?.reports).toHaveLength(2);
});

it("the service delivers a directive to the card, after the PIN when the card needs one", async () => {
  const { authorityPrivateKey } = loadKeys(FIXTURE_KEYS);
  const authority = new FakeAuthority();
  const directive = makeDirective("disable", UID, authorityPrivateKey);
  authority.command(COMMAND_TYPE.directive, Buffer.from(directive).toString("base64"), { uid: UID });
  const { till } = await connected(authority, { environment: "specification", pinVerified: false });
  await until(async () => expect((await statusOf(till)).gsc).toContain("0210"));
  await till.pin();
  await until(() => expect(authority.reports).toEqual([["1", true]]));
  expect((await till.sell()).json()).toMatchObject({ code: "2210" });
});

it("the service warns when the clock differs from the authority's time server", async () => {
  const authority = FakeAuthority.configuring(UID);
  authority.command(COMMAND_TYPE.timeServer, "ntp://time.authority.test:1123", { uid: UID });
  const asked: string[] = [];
  const askTime = async (host: string, port?: number) => {
    asked.push(`${host}:${port}`);
    return NOON + 600_500;
  };
  const { till } = await connected(authority, { askTime, settings: { clockDrift: 600 } });
  await until(async () =>
    expect(await statusOf(till)).toMatchObject({ clockDrift: -600.5, mssc: [TEST_CARD, "9009"] }),
  );
  expect((await statusOf(till)).gsc).toEqual(["0100", "0210", "1999"]);
  expect(asked).toContain("time.authority.test:1123");
  const { clock } = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect(clock).toEqual({
    server: "ntp://time.authority.test:1123",
    ahead: -600.5,
    at: new Date(NOON).toISOString(),
    off: true,
    problem: null,
  });
});

it("the service refuses to sell when the stored rates are damaged, instead of falling back to a file", async () => {
  const dataDir = await configuredFolder();
  changeStore(dataDir, `UPDATE authority_state SET value = replace(value, '"rate":20', '"rate":30')`);
  const { till } = await connected(new FakeAuthority(), { settings: { dataDir }, environment: "specification" });
  const damaged = { code: "2400", details: expect.stringContaining("the stored tax rates are damaged") };
  expect((await till.sell()).json()).toMatchObject(damaged);
  expect((await till.call("GET", "/api/v3/environment-parameters")).json()).toMatchObject(damaged);
  expect(await statusOf(till)).toMatchObject({ environmentSource: "damaged in the store" });
  const record = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect(record.findings[0]?.key).toBe("ratesDamaged");
});

it("the service says how long receipts have waited: a warning after 3 days, 9015 on the fifth, and nothing once the authority has them", async () => {
  const authority = FakeAuthority.configuring(UID);
  const { till, time, round } = await connected(authority);
  await until(async () => expect((await statusOf(till)).gsc).toEqual(["0100", "0210"]));
  authority.failure = new AuthorityError("unreachable", "nothing answers");
  expect((await till.sell()).status).toBe(200);
  const codes: (readonly string[])[] = [];
  for (const days of [0, 2.9, 3, 3.9, 4, 12]) {
    time.at = NOON + days * 86_400_000;
    codes.push((await statusOf(till)).mssc.filter((code) => code !== TEST_CARD));
  }
  expect(codes).toEqual([[], [], ["9016"], ["9016"], ["9015"], ["9015"]]);
  authority.failure = undefined;
  await round();
  await until(async () => expect((await statusOf(till)).mssc).toEqual([TEST_CARD]));
});
