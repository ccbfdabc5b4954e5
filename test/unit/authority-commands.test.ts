/** Commands of the tax authority are executed once, in order, reported, and kept through a crash. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { expect, it } from "vitest";
import type { Execution, OnCard } from "../../src/authority/command-execution.js";
import { MOST_COMMANDS } from "../../src/authority/commands.js";
import { AuthorityError, COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import type { AuthorityChange, AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { LedgerError } from "../../src/ledger/ledger.js";
import { commandsFor, turnsDuring } from "../support/commands.js";
import { FakeAuthority, sentEnvironment } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";
import { newAuthorityLedger, storedAuthority } from "../support/ledgers.js";
import { changeStore } from "../support/store-file.js";

const UID = "TESTCARD";
const { parameters, taxRates } = sentEnvironment();
const [GROUP] = taxRates;

interface Options {
  readonly ledger?: AuthorityLedger;
  readonly proof?: OnCard;
  readonly directive?: OnCard;
}

async function service({ ledger = newAuthorityLedger(), ...card }: Options = {}) {
  let time = 1_000;
  const logged: object[] = [];
  const log = pino({}, { write: (line) => void logged.push(JSON.parse(line)) });
  return { ...(await commandsFor(UID, ledger, { clock: { now: () => time++ }, log, ...card })), logged };
}

it("the service applies rates, parameters and addresses, and reports each command once", async () => {
  const authority = new FakeAuthority().command(COMMAND_TYPE.taxRates, GROUP, { uid: UID });
  authority.command(COMMAND_TYPE.configuration, parameters, { uid: UID });
  authority.command(COMMAND_TYPE.timeServer, "time.authority.test", { uid: UID });
  authority.command(COMMAND_TYPE.verificationUrl, "https://verify.authority.test/v/?vl=", { uid: UID });
  const { environments, round } = await service();
  await round(authority);
  await round(authority);
  expect(authority.reports.map(String)).toEqual(["1,true", "2,true", "3,true", "4,true"]);
  const { environment } = environments.of(UID) ?? {};
  expect(environment?.parameters).toEqual({
    ...parameters,
    logo: "",
    ntpServer: "time.authority.test",
    endpoints: { ...parameters.endpoints, root: "https://verify.authority.test/v/?vl=" },
  });
  expect(environment?.taxRates).toMatchObject([
    { groupId: GROUP?.groupId, taxCategories: [{ name: "VAT" }, {}, {}, {}] },
  ]);
});

/** A store that has taken an authority's command, which the disk then damaged. */
async function damaged(authority: FakeAuthority, damage: string) {
  const folder = temporaryFolder();
  const { store, ledger } = storedAuthority(folder);
  await (await service({ ledger })).take(authority);
  store.close();
  changeStore(folder, `UPDATE authority_commands SET ${damage}`);
  return storedAuthority(folder);
}

it.each<[string, number, unknown, string]>([
  ["rates", COMMAND_TYPE.taxRates, GROUP, "payload = replace(payload, '1', '2')"],
  ["a time server", COMMAND_TYPE.timeServer, "time.authority.test", "payload = '\"other.test\"'"],
  ["an address", COMMAND_TYPE.verificationUrl, "https://verify.test/v/?vl=", "payload = '\"https://other.test\"'"],
  ["a configuration", COMMAND_TYPE.configuration, parameters, "needs_yes = 0, from_file = 1"],
  ["a proof of audit", COMMAND_TYPE.proofOfAudit, "AAAA", "payload = '\"AAAB\"'"],
  ["a directive", COMMAND_TYPE.directive, "AAAA", "type = 5"],
])("the service executes no command that was damaged in the store: %s", async (_, type, content, damage) => {
  const { ledger } = await damaged(new FakeAuthority().command(type, content, { uid: UID }), damage);
  const done: string[] = [];
  const onCard = (name: string) => async (): Promise<Execution> => {
    done.push(name);
    return { kind: "done" };
  };
  const card = { proof: onCard("proof"), directive: onCard("directive") };
  const { commands, environments } = await service({ ledger, ...card });
  await commands.execute(UID);
  expect([done, environments.of(UID), await ledger.sent()]).toEqual([[], undefined, []]);
  expect(await ledger.openCommands(UID)).toMatchObject([
    { outcome: "failed", reason: expect.stringContaining("damaged") },
  ]);
});

it("the service executes a command that was damaged in the store when the authority sends it again", async () => {
  const authority = new FakeAuthority().command(COMMAND_TYPE.timeServer, "time.authority.test", { uid: UID });
  const { ledger } = await damaged(authority, "payload = '\"other.test\"'");
  const { round } = await service({ ledger });
  await round(authority);
  expect(authority.reports).toEqual([["1", true]]);
  expect(await ledger.sent()).toMatchObject([
    { name: "timeServer", value: expect.stringContaining("time.authority.test") },
  ]);
});

it("the service keeps every group of rates, and the newest version of each", async () => {
  const authority = new FakeAuthority();
  const later = { ...GROUP, groupId: 7, validFrom: "2027-01-01T00:00:00.000Z" };
  authority.configure(UID);
  authority.command(COMMAND_TYPE.taxRates, [later, { ...later, groupId: 8 }], { uid: UID });
  authority.command(COMMAND_TYPE.taxRates, { ...later, validFrom: "2028-01-01T00:00:00Z" }, { uid: UID });
  const { environments, round } = await service();
  await round(authority);
  const groups = environments.of(UID)?.environment?.taxRates ?? [];
  expect(groups.map(({ groupId, validFrom }) => [groupId, new Date(validFrom).getUTCFullYear()])).toEqual([
    [1, 2015],
    [8, 2027],
    [7, 2028],
  ]);
});

it("the service tells a person of no change while the store has no older configuration, and of every later one", async () => {
  const authority = FakeAuthority.configuring(UID).command(
    COMMAND_TYPE.taxRates,
    { ...GROUP, groupId: 7, validFrom: "1970-01-01T00:00:00Z" },
    { uid: UID },
  );
  authority.command(COMMAND_TYPE.verificationUrl, "https://verify.authority.test/v/?vl=", { uid: UID });
  const { commands, logged, round } = await service();
  await round(authority);
  expect(commands.toRead.made).toEqual([]);
  expect(JSON.stringify(logged)).not.toContain("have changed");
  authority.command(COMMAND_TYPE.verificationUrl, "https://other.authority.test/v/?vl=", { uid: UID });
  await round(authority);
  expect(commands.toRead.made).toHaveLength(1);
});

it("the service is not configured by rates without parameters", async () => {
  const authority = new FakeAuthority().command(COMMAND_TYPE.taxRates, GROUP, { uid: UID });
  const { environments, round } = await service();
  await round(authority);
  expect(environments.of(UID)).toMatchObject({ environment: undefined, damaged: false });
});

it("the service ignores commands for another card", async () => {
  const authority = FakeAuthority.configuring("OTHERONE");
  const { environments, round } = await service();
  await round(authority);
  expect(authority.reports).toEqual([]);
  expect(environments.of("OTHERONE")).toBeUndefined();
});

it.each<[string, number, unknown]>([
  ["rates that are not JSON", COMMAND_TYPE.taxRates, "{"],
  ["rates without groups", COMMAND_TYPE.taxRates, []],
  ["rates without categories", COMMAND_TYPE.taxRates, { groupId: 1, validFrom: "2026-01-01T00:00:00Z" }],
  ["rates that are null", COMMAND_TYPE.taxRates, "null"],
  ["a duplicate label", COMMAND_TYPE.taxRates, doubled()],
  ["a rate with 5 decimals", COMMAND_TYPE.taxRates, withRate({ rate: 0.12345 })],
  ["a rate beyond every tax", COMMAND_TYPE.taxRates, withRate({ rate: 1e15 })],
  ["a rate below 0", COMMAND_TYPE.taxRates, withRate({ rate: -5 })],
  ["a label of two lines", COMMAND_TYPE.taxRates, withRate({ label: "A\nB" })],
  ["parameters without endpoints", COMMAND_TYPE.configuration, { ...parameters, endpoints: undefined }],
  ["a time server that is not an address", COMMAND_TYPE.timeServer, "not an address"],
  ["an empty time server", COMMAND_TYPE.timeServer, ""],
  ["a verification URL without vl=", COMMAND_TYPE.verificationUrl, "https://authority.test/v/"],
  ["a verification URL with a script", COMMAND_TYPE.verificationUrl, "javascript://%0aalert(1)//?vl="],
  ["a verification URL of data", COMMAND_TYPE.verificationUrl, "data://x/?vl="],
  ["a verification URL of FTP", COMMAND_TYPE.verificationUrl, "ftp://authority.test/?vl="],
  ["parameters with a script", COMMAND_TYPE.configuration, { ...parameters, endpoints: { root: "javascript:?vl=" } }],
  ["a proof that is not base64", COMMAND_TYPE.proofOfAudit, "%%%"],
  ["an empty directive", COMMAND_TYPE.directive, ""],
  ["an unknown type", 99, "{}"],
])("the service reports %s as failed, and goes on", async (_, type, payload) => {
  const authority = new FakeAuthority().command(type, payload, { uid: UID });
  authority.configure(UID);
  const { commands, environments, round, logged } = await service();
  await round(authority);
  expect(authority.reports.map(String)).toEqual(["1,false", "2,true", "3,true"]);
  const [failed, done] = await commands.reported(UID);
  expect([failed?.outcome, done?.outcome, done?.reason]).toEqual(["failed", "done", null]);
  expect(logged.slice(0, 2)).toMatchObject([
    { level: 50, uid: UID, commandId: "1", type, msg: expect.stringContaining(`failed: ${failed?.reason}`) },
    { level: 30, uid: UID, commandId: "2", msg: expect.stringContaining("executed") },
  ]);
  expect(environments.of(UID)?.environment?.taxRates).toHaveLength(taxRates.length);
});

it("the service accepts parameters in the form that this service itself publishes in status and environment-parameters", async () => {
  const authority = new FakeAuthority();
  const { taxAuthorityApi, ...endpoints } = parameters.endpoints;
  const shown = {
    ...parameters,
    endpoints: { ...endpoints, taxCoreApi: taxAuthorityApi },
    somethingNew: 1,
    supportedLanguages: ["fr-FR", "en-US"],
  };
  authority.configure(UID);
  authority.command(COMMAND_TYPE.configuration, shown, { uid: UID });
  const { environments, round } = await service();
  await round(authority);
  expect(environments.of(UID)?.environment?.parameters).toEqual({
    ...parameters,
    logo: "",
    supportedLanguages: ["fr-FR", "en-US"],
  });
  expect(environments.of(UID)?.environment?.languages).toEqual([{ tag: "en-US", prints: "en-US" }]);
});

it("the service delays only the card's commands until the first of them is executed, and keeps them in order", async () => {
  const reached: string[] = [];
  const later = () => ({ kind: "later", reason: "the card waits for its PIN" }) as const;
  const brokenOff = () => {
    throw new Error("the card was removed");
  };
  const before = [later, brokenOff];
  const onCard =
    (name: string): OnCard =>
    async (_, bytes) => {
      reached.push(`${name} ${Buffer.from(bytes).toString("hex")}`);
      return before.shift()?.() ?? { kind: "done" };
    };
  const authority = new FakeAuthority().command(COMMAND_TYPE.directive, "AQ==", { uid: UID });
  authority.command(COMMAND_TYPE.proofOfAudit, '"Ag=="', { uid: UID });
  authority.configure(UID);
  const { round, logged } = await service({ proof: onCard("proof"), directive: onCard("directive") });
  for (const tries of [1, 2]) {
    await round(authority);
    expect(reached).toEqual(Array(tries).fill("directive 01"));
    expect(authority.reports.map(([id]) => id)).toEqual(["3", "4"]);
  }
  await round(authority);
  expect(logged[0]).toMatchObject({ level: 30, msg: "a command waits: the card waits for its PIN" });
  expect(reached.slice(2)).toEqual(["directive 01", "proof 02"]);
  expect(authority.reports.slice(2).map(String)).toEqual(["1,true", "2,true"]);
});

/** A card that executes directives, and how many it got. */
function counted() {
  let count = 0;
  const directive: OnCard = async () => {
    count++;
    return { kind: "done" };
  };
  return { directive, directives: () => count };
}

it("the service executes a repeated command once, and reports it again when it comes after its report", async () => {
  const { directive, directives } = counted();
  const authority = new FakeAuthority().command(COMMAND_TYPE.directive, "AQ==", { uid: UID, commandId: "a" });
  authority.command(COMMAND_TYPE.directive, "AQ==", { uid: UID, commandId: "a" });
  const { round } = await service({ directive });
  await round(authority);
  expect([directives(), authority.reports]).toEqual([1, [["a", true]]]);
  authority.command(COMMAND_TYPE.directive, "AQ==", { uid: UID, commandId: "a" });
  await round(authority);
  expect([directives(), authority.reports.length]).toEqual([1, 2]);
});

it("the service keeps newer rates when an old command comes again", async () => {
  const authority = FakeAuthority.configuring(UID);
  const [old] = authority.waiting;
  const { environments, round } = await service();
  await round(authority);
  authority.command(COMMAND_TYPE.taxRates, { ...GROUP, validFrom: "2016-01-01T00:00:00Z" }, { uid: UID });
  await round(authority);
  if (old) authority.waiting.push(old);
  await round(authority);
  const [group] = environments.of(UID)?.environment?.taxRates ?? [];
  expect(new Date(group?.validFrom ?? 0).getUTCFullYear()).toBe(2016);
});

it("the service reports each command once when a stick is imported during a round with the authority", async () => {
  const authority = new FakeAuthority().command(COMMAND_TYPE.taxRates, GROUP, { uid: UID });
  const { commands, ledger, execute } = await service();
  await execute(authority);
  const reports: string[] = [];
  const reporter = (name: string) => ({
    report: async () => {
      await nextTurn();
      reports.push(name);
    },
  });
  await Promise.all([commands.report(UID, reporter("round")), commands.report(UID, reporter("stick"))]);
  expect(reports).toEqual(["round"]);
  expect(await ledger.openCommands(UID)).toEqual([]);
});

it.each([
  ["drops the report of a command that the authority does not take", new AuthorityError("refused", "", 404), 0],
  ["reports again after a failure of the authority", new AuthorityError("unreachable", "", 404), 2],
  ["reports again after the token was refused", new AuthorityError("refused", "", 401), 2],
  ["reports again after the certificate was refused", new AuthorityError("refused", "", 403), 2],
])("%s", async (_, error, open) => {
  const authority = FakeAuthority.configuring(UID);
  const { ledger, commands, execute } = await service();
  await execute(authority);
  const reported = commands.report(UID, { report: () => Promise.reject(error) });
  await (open === 0 ? reported : expect(reported).rejects.toBe(error));
  expect(await ledger.openCommands(UID)).toHaveLength(open);
});

it("the service executes stored commands at the next start after a kill", async () => {
  const folder = temporaryFolder();
  const authority = FakeAuthority.configuring(UID);
  const first = storedAuthority(folder);
  const before = await service({ ledger: first.ledger });
  await before.take(authority);
  first.store.close();
  const { environments, commands } = await service({ ledger: storedAuthority(folder).ledger });
  await commands.execute(UID);
  await commands.report(UID, authority);
  expect(authority.reports.map(([, success]) => success)).toEqual([true, true]);
  expect(environments.of(UID)?.environment).toBeDefined();
});

it("the service reports after a kill between execution and report, without executing again", async () => {
  const folder = temporaryFolder();
  const { directive, directives } = counted();
  const authority = FakeAuthority.configuring(UID).command(COMMAND_TYPE.directive, "AQ==", { uid: UID });
  const first = storedAuthority(folder);
  const before = await service({ ledger: first.ledger, directive });
  await before.execute(authority);
  first.store.close();
  const after = await service({ ledger: storedAuthority(folder).ledger, directive });
  expect(after.environments.of(UID)?.environment).toEqual(before.environments.of(UID)?.environment);
  await after.round(authority);
  expect(authority.reports.map(([id]) => id)).toEqual(["1", "2", "3"]);
  expect(directives()).toBe(1);
});

it("the service reports again after a kill between the report and its note, without executing again", async () => {
  const authority = FakeAuthority.configuring(UID);
  const { ledger, commands, round, execute } = await service();
  await execute(authority);
  const executed = (await ledger.openCommands(UID)).map(({ executedAt }) => executedAt);
  const killed = {
    report: async (id: string, success: boolean) => {
      authority.reports.push([id, success]);
      throw new Error("killed");
    },
  };
  await expect(commands.report(UID, killed)).rejects.toThrow("killed");
  expect((await ledger.openCommands(UID)).map(({ executedAt }) => executedAt)).toEqual(executed);
  await round(authority);
  expect(authority.reports.map(([id]) => id)).toEqual(["1", "1", "2"]);
});

it("the service does not use stored rates that the disk has damaged, until the authority sends them again", async () => {
  const { store, ledger } = storedAuthority();
  const authority = FakeAuthority.configuring(UID);
  const { environments, round } = await service({ ledger });
  await round(authority);
  store.db.exec(`UPDATE authority_state SET value = replace(value, '"rate":20', '"rate":30')`);
  await environments.reload();
  expect(environments.of(UID)).toMatchObject({ environment: undefined, damaged: true });
  authority.configure(UID);
  await round(authority);
  expect(environments.of(UID)).toMatchObject({ environment: { taxRates: [{ groupId: 1 }] }, damaged: false });
});

/** A ledger that rejects every commit in which a command is executed, as a full disk or a crash does. */
function refusing() {
  const ledger = newAuthorityLedger();
  const disk = { full: true };
  const commit = (changes: readonly AuthorityChange[]) =>
    disk.full && changes.some(({ kind: change }) => change === "executed")
      ? Promise.reject(new LedgerError("full", "the disk is full"))
      : ledger.commit(changes);
  const port: AuthorityLedger = Object.assign(Object.create(ledger), { commit });
  return { ledger: port, disk };
}

it("the service applies nothing that the disk did not store, and everything once it does", async () => {
  const { ledger, disk } = refusing();
  const authority = FakeAuthority.configuring(UID);
  const { environments, round } = await service({ ledger });
  await expect(round(authority)).rejects.toMatchObject({ fault: "full" });
  expect([environments.of(UID), authority.reports]).toEqual([undefined, []]);
  disk.full = false;
  await round(authority);
  expect(environments.of(UID)?.environment).toBeDefined();
  expect(authority.reports).toHaveLength(2);
});

it("the service repeats a directive to the card whose end was not stored, and reports it once", async () => {
  const { ledger, disk } = refusing();
  const { directive, directives } = counted();
  const authority = new FakeAuthority().command(COMMAND_TYPE.directive, "AQ==", { uid: UID });
  const { round } = await service({ ledger, directive });
  await expect(round(authority)).rejects.toMatchObject({ fault: "full" });
  disk.full = false;
  await round(authority);
  await round(authority);
  expect([directives(), authority.reports]).toEqual([2, [["1", true]]]);
});

function doubled() {
  const [category] = GROUP?.taxCategories ?? [];
  return { ...GROUP, taxCategories: [category, { ...category, orderId: 9 }] };
}

function withRate(odd: object) {
  const [category] = GROUP?.taxCategories ?? [];
  return { ...GROUP, taxCategories: [{ ...category, taxRates: [{ label: "A", rate: 20, ...odd }] }] };
}

it("the service takes at most 500 commands at once, the others in later rounds, and lets sales have their turn in between", async () => {
  const authority = new FakeAuthority();
  for (let i = 0; i < MOST_COMMANDS + 20; i++)
    authority.command(COMMAND_TYPE.timeServer, `time${i}.test`, { uid: UID });
  const { ledger, commands, round, take } = await service();
  await take(authority);
  expect(await ledger.openCommands(UID)).toHaveLength(MOST_COMMANDS);
  expect(await turnsDuring(() => commands.execute(UID))).toBeGreaterThan(MOST_COMMANDS / 2);
  await round(authority);
  await round(authority);
  expect(authority.reports).toHaveLength(MOST_COMMANDS + 20);
});

it("the service takes new commands also if the authority still sends more than 500 old ones", async () => {
  const authority = new FakeAuthority();
  for (let i = 0; i < MOST_COMMANDS; i++) authority.command(COMMAND_TYPE.timeServer, `time${i}.test`, { uid: UID });
  const old = await authority.commands();
  const { ledger, commands, round } = await service();
  await round(authority);
  authority.command(COMMAND_TYPE.timeServer, "new.test", { uid: UID, commandId: "new" });
  const sent = await authority.commands();
  await commands.take(UID, [...old, ...sent], "authority");
  expect((await ledger.openCommands(UID)).map(({ commandId }) => commandId)).toContain("new");
});
