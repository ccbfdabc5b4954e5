/** What the store keeps of what the tax authority sent. */
import { expect, it } from "vitest";
import {
  AUTHORITY_SQL,
  type AuthorityChange,
  type AuthorityLedger,
  KEPT_CHARACTERS,
  MOST_MADE_CHANGES,
  type NewCommand,
  type NewSent,
} from "../../src/ledger/authority-ledger.js";
import { newAuthorityLedger, newLedgers } from "../support/ledgers.js";

const UID = "TESTCARD";

const command = (commandId: string, uid = UID): NewCommand => ({
  commandId,
  uid,
  type: 0,
  payload: `payload of ${commandId}`,
  receivedAt: 1,
  fromFile: false,
});
const receive = (commandId: string, uid?: string): AuthorityChange => ({
  kind: "received",
  command: command(commandId, uid),
});
const hold = (commandId: string, payload: string): AuthorityChange => ({
  kind: "received",
  command: { ...command(commandId), payload, fromFile: true },
  needsYes: true,
});
const made = (at: number): AuthorityChange => ({ kind: "made", made: { uid: UID, at, what: `["change ${at}"]` } });
const see = (id: number): AuthorityChange => ({ kind: "seen", id, at: 9 });
const execute = (id: number): AuthorityChange => ({ kind: "executed", id, at: 2, outcome: "done", reason: null });
const report = (id: number): AuthorityChange => ({ kind: "reported", id, at: 3 });
const rates: NewSent = {
  uid: UID,
  name: "rates",
  key: "1",
  value: "20.00",
  receivedAt: 1,
  source: "authority",
  fileUntil: null,
};
const idsOf = async (ledger: AuthorityLedger) =>
  (await ledger.openCommands(UID)).map(({ commandId, outcome }) => [commandId, outcome]);

it("what the authority sent keeps only the beginning of an executed command's text", async () => {
  const ledger = newAuthorityLedger();
  await ledger.commit([hold("a", "ш".repeat(200_000)), hold("b", "short"), execute(1), execute(2)]);
  const kept = (await ledger.openCommands(UID)).map(({ payload }) => payload);
  expect(kept).toEqual(["ш".repeat(KEPT_CHARACTERS), "short"]);
});

it("what the authority sent has failed commands, the newest first, until a later one of their type or a proof was executed", async () => {
  const ledger = newAuthorityLedger();
  const typed = (commandId: string, type: number): AuthorityChange => ({
    kind: "received",
    command: { ...command(commandId), type },
  });
  const fail = (id: number): AuthorityChange => ({ kind: "executed", id, at: 2, outcome: "failed", reason: "no" });
  const failed = async () => (await ledger.failedCommands(UID)).map(({ commandId }) => commandId);
  await ledger.commit([typed("rates-1", 0), typed("address", 2), typed("rates-2", 0), typed("proof", 5)]);
  await ledger.commit([fail(1), report(1), fail(2)]);
  expect(await failed()).toEqual(["address", "rates-1"]);
  expect(await ledger.failedCommands("OTHERONE")).toEqual([]);
  await ledger.commit([execute(3)]);
  expect(await failed()).toEqual(["address"]);
  await ledger.commit([execute(4)]);
  expect(await failed()).toEqual([]);
});

it("what the authority sent recognises a command that comes again", async () => {
  const ledger = newAuthorityLedger();
  await ledger.commit([receive("a"), receive("a")]);
  expect(await idsOf(ledger)).toEqual([["a", null]]);
  await ledger.commit([execute(1), receive("A")]);
  expect(await idsOf(ledger)).toEqual([["A", "done"]]);
});

it.each<[string, AuthorityChange[]]>([
  ["executes a command that it does not have", [execute(1)]],
  ["executes a command twice", [receive("a"), execute(1), execute(1)]],
  ["reports a command that is not executed", [receive("a"), report(1)]],
  ["reports a command twice", [receive("a"), execute(1), report(1), report(1)]],
  ["says yes to a command that needs none", [receive("a"), { kind: "confirmed", id: 1 }]],
  ["says yes to a command that is executed", [hold("a", "x"), execute(1), { kind: "confirmed", id: 1 }]],
  ["has seen a change that it does not have", [made(1), see(2)]],
  ["has seen a change twice", [made(1), see(1), see(1)]],
])("what the authority sent writes nothing of a commit that %s", async (_name, changes) => {
  const ledger = newAuthorityLedger();
  await expect(ledger.commit(changes)).rejects.toMatchObject({ name: "LedgerError", fault: "damaged" });
  expect(await ledger.openCommands(UID)).toEqual([]);
});

it("what the authority sent gives a command a new id whose text or type changes before a person has said yes", async () => {
  const ledger = newAuthorityLedger();
  const held = async () => (await ledger.heldCommands()).map(({ id, payload }) => [id, payload]);
  await ledger.commit([hold("a", "of a stick"), hold("A", "of another stick")]);
  // A yes to the text that was shown is none to this one.
  expect(await held()).toEqual([[2, "of another stick"]]);
  const ofAnotherType = { ...command("a"), payload: "of another stick", type: 2, fromFile: true };
  await ledger.commit([{ kind: "received", command: ofAnotherType, needsYes: true }]);
  expect(await held()).toEqual([[3, "of another stick"]]);
});

it("what the authority sent executes again what the authority sends after a file, but nothing for the card, and nothing that failed", async () => {
  const ledger = newAuthorityLedger();
  const commands = [command("rates"), { ...command("proof"), type: 5 }, command("failed")];
  const receiveAll = (receivedAt: number, fromFile: boolean) =>
    commands.map((one) => ({ kind: "received", command: { ...one, receivedAt, fromFile } }) as const);
  await ledger.commit([...receiveAll(1, true), execute(1), execute(2), receive("other", "OTHERONE"), execute(4)]);
  await ledger.commit([{ kind: "executed", id: 3, at: 2, outcome: "failed", reason: "no" }, report(1), report(4)]);
  expect(await ledger.reportedCommands(UID)).toEqual([{ commandId: "rates", type: 0, outcome: "done", reason: null }]);
  await ledger.commit(receiveAll(9, false));
  expect((await ledger.openCommands(UID)).map((one) => [one.commandId, one.receivedAt, one.outcome])).toEqual([
    ["rates", 9, null],
    ["proof", 1, "done"],
    ["failed", 1, "failed"],
  ]);
});

it("what the authority sent keeps the newest changes", async () => {
  const ledger = newAuthorityLedger();
  await ledger.commit(Array.from({ length: MOST_MADE_CHANGES + 1 }, (_, at) => made(at)));
  expect((await ledger.madeChanges()).map(({ at }) => at)).toEqual(
    Array.from({ length: MOST_MADE_CHANGES }, (_, i) => i + 1),
  );
});

it("what the authority sent finds a command that comes again by its index, however many commands the card has had", () => {
  const { db } = newLedgers();
  const plan = db.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${AUTHORITY_SQL.receivedAgain}`);
  const steps = plan.all({ uid: UID, commandId: "a" }).map(({ detail }) => detail);
  expect(steps).toContainEqual(expect.stringContaining("authority_commands_by_guid (uid=? AND <expr>=?)"));
  expect(steps).not.toContainEqual(expect.stringMatching(/\(uid=\?\)|^SCAN/));
});

it("what the authority sent reads the executed commands once, and not again for each command that failed", () => {
  const { db } = newLedgers();
  const plan = db.prepare<[string], { detail: string }>(`EXPLAIN QUERY PLAN ${AUTHORITY_SQL.failedCommands}`);
  const steps = plan.all(UID).map(({ detail }) => detail);
  expect(steps).toContain("MATERIALIZE settled");
  const subquery = steps.slice(steps.findIndex((step) => step.startsWith("CORRELATED")) + 1);
  expect(subquery.filter((step) => step.startsWith("SEARCH"))).toEqual([expect.stringContaining("settled")]);
});

it("what the authority sent is damaged if the end of a file's rates was changed", async () => {
  const { db, authority: ledger } = newLedgers();
  await ledger.commit([{ kind: "sent", sent: { ...rates, source: "file", fileUntil: 5 } }]);
  db.exec("UPDATE authority_state SET file_until = 6");
  expect(await ledger.sent()).toMatchObject([{ fileUntil: 6, intact: false }]);
});
