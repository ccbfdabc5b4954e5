/** Audits beyond the card in the reader: a replaced card, one of another service, a stick, and a restored store. */
import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { commandsFile, takeStick } from "../../emulator/tax-authority/stick.js";
import type { StickFile } from "../../src/authority/stick-files.js";
import { AuthorityError } from "../../src/authority/tax-authority.js";
import { restoreBackup } from "../../src/bookkeeping/backup/restore.js";
import type { AuditsRecord } from "../../src/console/records/audits.js";
import type { ReportsRecord } from "../../src/console/records/reports.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { keptStores } from "../../src/ledger/store-folder.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { openAuthority } from "../support/audited-till.js";
import { AuditingAuthority, openPackage } from "../support/auditing-authority.js";
import { tillseal } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { verdictOn } from "../support/store-file.js";
import { JSON_HEADERS, openTill, soldStore, type Till } from "../support/till.js";

it("the service exports the sales of the old card while the new one sells", async () => {
  const till = await openTill();
  await till.sell();
  await till.sell();
  const files = async (uid: string) => {
    const { status, text } = await till.call("GET", `/console/audit/files?uid=${uid}`);
    return status === 200
      ? text
          .trim()
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as StickFile)
      : status;
  };
  expect(await files("TESTCARD")).toHaveLength(2);
  till.reader.insert(makeCard({ uid: "NEWCARD1" }));
  await vi.waitFor(async () => expect((await till.pin()).text).toBe("0100"), 20_000);
  await till.sell();
  const { cards } = (await till.call("GET", "/console/audit")).json<AuditsRecord>();
  expect(cards).toMatchObject([
    { uid: "NEWCARD1", inReader: true, unsent: 1 },
    { uid: "TESTCARD", inReader: false, unsent: 2 },
  ]);
  const old = await files("TESTCARD");
  const counters = (Array.isArray(old) ? old : []).map(({ base64 }) => {
    const payload = openPackage(JSON.parse(Buffer.from(base64 ?? "", "base64").toString("utf8")));
    return (JSON.parse(payload) as { result: { totalCounter: number } }).result.totalCounter;
  });
  expect(counters).toEqual([1, 2]);
  expect(await files("NOBODY01")).toBe(404);
});

it("the service refuses to sell with a new card until the old one is audited, if the setting says so", async () => {
  const authority = new AuditingAuthority();
  authority.failure = new AuthorityError("unreachable", "no line");
  const old = makeCard();
  const till = await openTill({ card: old, settings: { newCard: "waits" }, openAuthority: () => authority });
  expect((await till.sell()).status).toBe(200);
  const change = async (card: typeof old) => {
    till.reader.insert(card);
    await vi.waitFor(async () => expect((await till.pin()).text).toBe("0100"), 20_000);
  };
  const fresh = makeCard({ uid: "NEWCARD1" });
  await change(fresh);
  expect((await till.sell()).json()).toMatchObject({
    code: "1100",
    details: expect.stringContaining("1 sales of the card TESTCARD have no proof of audit"),
  });
  expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({
    gsc: expect.arrayContaining(["1100"]),
  });
  expect((await till.call("GET", "/console/till")).json()).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ key: "oldCardUnproven", severity: "stops" })]),
  });
  // The old card may sell. After its audit the new one may, too.
  await change(old);
  expect((await till.sell()).status).toBe(200);
  authority.failure = undefined;
  authority.closed = false;
  await vi.waitFor(async () => {
    const started = await till.call("POST", "/console/audit/start");
    expect(started.json()).toMatchObject({ begun: true });
  }, 20_000);
  await vi.waitFor(() => {
    void till.service.talkToAuthority();
    expect(till.cardState().sum).toBe(0n);
  }, 20_000);
  await change(fresh);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
});

/** A till whose card was replaced while sales of the old one were unsent. @param old profile of the old card */
async function replaced(authority: AuditingAuthority, old: Record<string, unknown> = {}) {
  authority.failure = new AuthorityError("unreachable", "no line");
  const openAuthority = () => {
    authority.closed = false;
    return authority;
  };
  const till = await openTill({ openAuthority, card: makeCard(old) });
  for (let i = 0; i < 3; i++) await till.sell();
  // The authority's key is asked for in the background.
  const files = (await till.call("GET", "/console/audit/files?uid=TESTCARD")).text;
  expect(files.split("\n")).toHaveLength(5);
  till.reader.insert(makeCard({ uid: "NEWCARD1" }));
  await vi.waitFor(async () => expect((await till.pin()).text).toBe("0100"), 20_000);
  await till.sell();
  authority.failure = undefined;
  void till.service.talkToAuthority();
  const sent = () => authority.packages.map(({ result }) => result.invoiceNumber);
  const oldCard = async () => {
    const { cards } = (await till.call("GET", "/console/audit")).json<AuditsRecord>();
    return cards.find(({ uid }) => uid === "TESTCARD");
  };
  return { till, sent, old: oldCard };
}

const numbers = (...counters: number[]) => counters.map((counter) => `TESTCARD-TESTCARD-${counter}`);

it("the service sends the sales of the old card online after those of the new one", async () => {
  const authority = new AuditingAuthority();
  const { sent, old } = await replaced(authority);
  await vi.waitFor(() => expect(sent()).toEqual(["NEWCARD1-NEWCARD1-1", ...numbers(1, 2, 3)]), 20_000);
  await vi.waitFor(async () => expect(await old()).toMatchObject({ unsent: 3, packages: "allSent", refused: [] }));
});

it("the service keeps talking for the new card when the authority refuses packages of the old one, and shows the refusal", async () => {
  const authority = new AuditingAuthority();
  authority.refuses.set(2, 403);
  const { till, sent, old } = await replaced(authority);
  const [refused] = numbers(2);
  await vi.waitFor(async () => expect(await old()).toMatchObject({ refused: [{ number: refused }] }), 20_000);
  // The new card's second sale has the same counter; the authority accepts it.
  authority.refuses.clear();
  void till.service.talkToAuthority();
  await till.sell();
  void till.service.talkToAuthority();
  await vi.waitFor(() => expect(authority.asked).toBeGreaterThan(2));
  expect(sent()).not.toContain(numbers(3)[0]);
  expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({ gsc: ["0100", "0210"] });
});

it("the service sends no sale of another taxpayer's card", async () => {
  const authority = new AuditingAuthority();
  const { sent, old } = await replaced(authority, { taxpayer: { tin: "RS999999999" } });
  await vi.waitFor(() => expect(sent()).toEqual(["NEWCARD1-NEWCARD1-1"]), 20_000);
  expect(await old()).toMatchObject({ unsent: 3, packages: "someToSend" });
});

const UID = "TESTCARD";

async function shop() {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  for (let i = 0; i < 3; i++) await till.sell();
  const onStick = async () => {
    const progress = StoreReading.open(dataDir).use((store) => store.audits().progress(UID));
    return (await progress).onStick;
  };
  const files = async () => (await till.call("GET", `/console/audit/files?uid=${UID}`)).text.trim().split("\n");
  const carried = (body: object) =>
    till.call("POST", "/console/audit/carried", { headers: JSON_HEADERS, body: { ...body, pin: "1234" } });
  return { onStick, files, carried };
}

it("the files for a stick change nothing; what was written to a stick is kept, up to the sale that their list names", async () => {
  const { files, carried, onStick } = await shop();
  const listed = await files();
  expect([listed.length, await onStick()]).toEqual([4, 0]);
  const { entry } = JSON.parse(listed.at(-1) ?? "") as { entry: number };
  expect((await carried({ uid: UID, entry })).status).toBe(204);
  expect(await onStick()).toBe(entry);
});

it.each([
  ["beyond the newest sale", { uid: UID, entry: 1_000_000 }, 400],
  ["no number", { uid: UID, entry: "3" }, 400],
  ["no entry", { uid: UID }, 400],
  ["of an unknown card", { uid: "NOBODY01", entry: 1 }, 400],
])("an entry that is %s is refused", async (_what, body, status) => {
  const { carried, onStick } = await shop();
  expect((await carried(body)).status).toBe(status);
  expect(await onStick()).toBe(0);
});

/** Sells twice, restores a backup of before that, starts again, and sells once. */
async function restored(dataDir: string): Promise<Till> {
  const card = makeCard();
  const unreachable = new AuditingAuthority();
  unreachable.failure = new AuthorityError("unreachable", "no line");
  const open = () => openTill({ card, settings: { dataDir }, openAuthority: () => unreachable });
  const sellTwice = async (till: Till) => {
    for (let count = 0; count < 2; count++) expect((await till.sell()).status).toBe(200);
    await till.stop();
  };
  await sellTwice(await open());
  const file = join(temporaryFolder(), "backup.db");
  copyFileSync(join(dataDir, "store/tillseal.db"), file);
  await sellTwice(await open());
  await restoreBackup({ dataDir, file, at: Date.now() }, false);
  const till = await open();
  await till.sell();
  return till;
}

it("an audit that a restore has taken back is a finding until the authority has the packages from the kept store, and the card its proof", async () => {
  const dataDir = temporaryFolder();
  const stick = temporaryFolder();
  const till = await restored(dataDir);
  const authority = await openAuthority();
  authority.office.register({ certificate: till.card.certificate });
  const audit = async (...args: string[]) => {
    const { status, stdout, stderr } = await tillseal(["audit", ...args, "--data-dir", dataDir]);
    return [status, stdout + stderr] as const;
  };
  const codes = async () => (await till.call("GET", "/api/v3/status")).json<{ mssc: string[] }>().mssc;
  /** The stick at the authority's portal. @returns what it says about the proof */
  const carry = () => {
    const folder = join(stick, UID);
    const files = readdirSync(folder).map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
    const taken = takeStick(authority.office, files);
    writeFileSync(join(folder, `${UID}.commands`), JSON.stringify(commandsFile(authority.office, UID)));
    return taken.find(({ name }) => name.endsWith(".arp"))?.outcome;
  };
  expect(await codes()).toEqual(["9002", "9004", "9020"]);
  // The authority needs the last sale too, of which the store has number and amount only.
  const { findings } = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect(findings.find(({ key }) => key === "salesMissing")?.values).toEqual({ counters: "3–4", cards: UID });
  const { reports } = (await till.call("GET", "/console/reports")).json<ReportsRecord>();
  expect(reports).toMatchObject([{ kind: "behind", from: 3, to: 4, adopted: true }]);
  expect(verdictOn(dataDir).notes).toContainEqual(
    expect.objectContaining({ problem: expect.stringMatching(/^counter 3 of TESTCARD is not in the store/) }),
  );

  const [store = ""] = keptStores(dataDir);
  const elsewhere = join(temporaryFolder(), "old.db");
  renameSync(store, elsewhere);
  expect(await audit("export", stick, "--same-disk")).toEqual([
    1,
    expect.stringMatching(/: 3 sales and the request[\s\S]*no store has the sales with the counters 3 to 4: /),
  ]);
  expect(carry()).toBe("no proof yet: packages are missing: counters 3 to 4");
  const [, imported] = await audit("import", stick);
  expect(imported).toContain("The audit is still open: the card has accepted no proof of audit.");
  expect(await audit("status")).toEqual([
    0,
    expect.stringMatching(/^ {2}Not in this store, without a proof: counters 3 to 4\n.*before-restore/m),
  ]);

  expect(await audit("export", stick, "--same-disk", "--from", elsewhere)).toEqual([
    0,
    expect.stringContaining(": 5 sales and"),
  ]);
  renameSync(elsewhere, store);
  expect(await audit("export", stick, "--same-disk")).toEqual([0, expect.stringContaining(": 5 sales and")]);
  expect(carry()).toBe("the proof is among the commands");
  // The proof is executed at once. The authority's addresses wait for a yes.
  const proven = "TESTCARD: 1 command executed; 1 wait for your yes";
  expect(await audit("import", stick)).toEqual([2, expect.stringContaining(proven)]);
  expect(till.cardState().sum).toBe(0n);
  expect(await codes()).toEqual(["9002", "9004", "9019"]);
}, 120_000);

it("a restored service reports the invoices counted elsewhere, adopts the last one, and sells on", async () => {
  const { card } = await soldStore(3);
  const dataDir = temporaryFolder();
  const till = await openTill({ card, settings: { dataDir, card: "pcsc" } });
  const status = async () => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[]; mssc: string[] }>();
  expect(await status()).toMatchObject({ gsc: expect.arrayContaining(["1999"]), mssc: ["9002", "9004", "9020"] });
  const { reports } = (await till.call("GET", "/console/reports")).json<{ reports: { id: number; kind: string }[] }>();
  expect(reports).toMatchObject([{ kind: "behind", from: 1, to: 3 }]);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 4 });
  const body = { ids: reports.map(({ id }) => id), pin: "1234" };
  expect((await till.call("POST", "/console/reports/confirm", { headers: JSON_HEADERS, body })).status).toBe(204);
  expect((await status()).mssc).toEqual(["9002"]);
  await till.stop();
  const { findings, notes } = verdictOn(dataDir);
  expect(findings).toEqual([]);
  const named = /^counters 1 to 2 of TESTCARD are not in the store: reported on .* as "behind", confirmed on /;
  expect(notes).toContainEqual(expect.objectContaining({ problem: expect.stringMatching(named) }));
});
