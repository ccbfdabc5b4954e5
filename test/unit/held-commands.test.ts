/** Commands of a file that is not signed wait for a person's yes before they change what is in force. */
import fc from "fast-check";
import { pino } from "pino";
import { expect, it, vi } from "vitest";
import type { Execution, OnCard } from "../../src/authority/command-execution.js";
import { type Commands, MOST_COMMANDS, MOST_HELD, MOST_HELD_CHARACTERS } from "../../src/authority/commands.js";
import { changesBetween, changeText, MOST_CHANGES, needsSecondYes } from "../../src/authority/configuration-change.js";
import { takeCommands } from "../../src/authority/local-audit.js";
import { type AuthorityCommand, COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import type { FiscalEnvironment, RateGroupFile } from "../../src/fiscal/environment.js";
import { groupOfReceipt, rateGroupAt, type TaxRateGroup } from "../../src/fiscal/tax.js";
import type { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { commandsFor, turnsDuring } from "../support/commands.js";
import { FakeAuthority, sentEnvironment } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";
import { newAuthorityLedger, storedAuthority } from "../support/ledgers.js";

const UID = "TESTCARD";
const NOW = Date.parse("2026-11-20T00:00:00Z");
const LATER = "2027-01-01T00:00:00.000Z";
const { parameters, taxRates } = sentEnvironment();
const GROUP = taxRates[0] as RateGroupFile;
const CATEGORY = GROUP.taxCategories[0] as RateGroupFile["taxCategories"][number];
const OTHER_ROOT = "https://thief.test/v/?vl=";
/** Another name of the same server. */
const again = (address: string) => address.replace("https://", "https://again.");

async function service(ledger: AuthorityLedger, file?: FiscalEnvironment, outcome: Execution = { kind: "done" }) {
  const proofs: string[] = [];
  const log = pino({ level: "silent" });
  const [warn, changed] = [vi.spyOn(log, "warn"), vi.fn()];
  let now = NOW;
  const proof: OnCard = async (_uid, bytes): Promise<Execution> => {
    proofs.push(Buffer.from(bytes).toString());
    return outcome;
  };
  const isSameAddress = (before: string, after: string) => after === again(before);
  const parts = { file, proof, directive: proof, clock: { now: () => now }, log, changed, isSameAddress };
  const { environments, commands, round } = await commandsFor(UID, ledger, parts);
  const later = (ms: number) => {
    now += ms;
  };
  const stick = (...sent: AuthorityCommand[]) => takeCommands(UID, JSON.stringify(sent), commands, NOW);
  const heldIds = async () => (await commands.held(UID))?.commands.map(({ id }) => id) ?? [];
  const held = async () => (await commands.held(UID))?.changes.map(changeText);
  const made = () => environments.toRead(NOW).made.flatMap(({ changes }) => changes);
  const root = () => environments.of(UID)?.environment?.parameters.endpoints.root;
  return { environments, commands, proofs, later, stick, round, heldIds, held, made, root, warn, changed };
}

/** A service whose card the authority has configured. */
async function configured(ledger: AuthorityLedger = newAuthorityLedger()) {
  const authority = FakeAuthority.configuring(UID);
  const till = await service(ledger);
  await till.round(authority);
  return till;
}

const command = (commandId: string, type: number, payload: unknown): AuthorityCommand => ({
  commandId,
  type,
  payload: typeof payload === "string" ? payload : JSON.stringify(payload),
  uid: UID,
});
const otherRoot = (id: string) => command(id, COMMAND_TYPE.verificationUrl, OTHER_ROOT);

/** The group with A at 0 % and without its other labels. */
function cheap(groupId: number, validFrom = GROUP.validFrom): RateGroupFile {
  const label = CATEGORY.taxRates[0]?.label ?? "";
  return { groupId, validFrom, taxCategories: [{ ...CATEGORY, taxRates: [{ label, rate: 0 }] }] };
}

/** A group with so many labels that no till uses. */
function junk(groupId: number, count: number, first = 0): RateGroupFile {
  const labelOf = (i: number) => String.fromCharCode(...[i, i / 26, i / 676].map((n) => 65 + (Math.floor(n) % 26)));
  const labels = Array.from({ length: count }, (_, i) => ({ label: labelOf(first + i), rate: 1 }));
  return {
    groupId,
    validFrom: `2027-06-01T00:00:0${groupId % 10}.000Z`,
    taxCategories: [{ ...CATEGORY, taxRates: labels }],
  };
}

it("a file with commands waits for one yes to configure a card that has nothing yet", async () => {
  const { commands, stick, heldIds, held, root } = await service(newAuthorityLedger());
  const first = [
    command("s1", COMMAND_TYPE.taxRates, taxRates),
    command("s2", COMMAND_TYPE.configuration, parameters),
    otherRoot("s3"),
  ];
  expect(await stick(...first)).toMatchObject({ held: 3, waiting: 0, results: [] });
  expect(root()).toBeUndefined();
  expect(await held()).toEqual(
    expect.arrayContaining([`root: nothing -> ${OTHER_ROOT}`, expect.stringMatching(/^A \(.*\): nothing -> /)]),
  );
  expect(await commands.confirm(UID, await heldIds(), false)).toBe("done");
  expect(root()).toBe(OTHER_ROOT);
  expect(await stick(...first)).toMatchObject({ held: 0, results: [{}, {}, {}] });
});

it("a file with commands names the scripts of labels that look the same", async () => {
  const { stick, held } = await configured();
  const taxCategories = [{ ...CATEGORY, taxRates: [{ label: "А", rate: 0 }, ...CATEGORY.taxRates] }];
  await stick(command("s1", COMMAND_TYPE.taxRates, [{ ...GROUP, groupId: 99, taxCategories }]));
  expect(await held()).toEqual(
    expect.arrayContaining([expect.stringMatching(/^А \(Cyrillic U\+0410\) .*nothing -> 0 /)]),
  );
});

it.each([
  ["rates", command("s1", COMMAND_TYPE.taxRates, [cheap(99)]), /: nothing -> 0 /],
  ["parameters", command("s1", COMMAND_TYPE.configuration, parameters), /^root: nothing -> /],
  ["an address", otherRoot("s1"), /^root: nothing -> /],
  ["a time server", command("s1", COMMAND_TYPE.timeServer, "time.test"), /^ntpServer: nothing -> time.test/],
])("a file with commands waits for a yes although %s alone configure nothing yet", async (_, one, line) => {
  const { stick, held, environments } = await service(newAuthorityLedger());
  expect(await stick(one)).toMatchObject({ held: 1, results: [] });
  expect(await held()).toEqual(expect.arrayContaining([expect.stringMatching(line)]));
  expect(environments.of(UID)).toBeUndefined();
});

it("a file with commands chooses no rates any more once the authority has sent its own, but those of earlier receipts", async () => {
  const till = await service(newAuthorityLedger());
  // The same number as a group of the authority, and a time that no group of the authority can be after.
  await till.stick(
    command("s1", COMMAND_TYPE.taxRates, [cheap(GROUP.groupId), cheap(99, new Date(NOW).toISOString())]),
    command("s2", COMMAND_TYPE.configuration, parameters),
  );
  await till.commands.confirm(UID, await till.heldIds(), true);
  const groups = () => till.environments.of(UID)?.environment?.taxRates ?? [];
  const rateOf = (group?: TaxRateGroup) => group?.taxCategories[0]?.taxRates[0]?.rate;
  expect(rateOf(rateGroupAt(groups(), NOW))).toBe(0n);
  const receipt = NOW;
  till.later(60_000);
  const authority = FakeAuthority.configuring(UID);
  await till.round(authority);
  await till.round(authority);
  const own = rateOf(rateGroupAt(groups(), NOW + 60_000));
  expect(own).toBeGreaterThan(0n);
  expect(rateGroupAt(groups(), NOW + 60_000)?.groupId).toBe(GROUP.groupId);
  for (const id of [GROUP.groupId, 99]) expect(rateOf(groupOfReceipt(groups(), id, receipt))).toBe(0n);
  expect(rateOf(groupOfReceipt(groups(), GROUP.groupId, NOW + 60_000))).toBe(own);
  expect(rateOf(rateGroupAt(groups(), receipt))).toBe(0n);
  // A person sees what came into force.
  expect(till.made().map(({ after }) => after)).toContain("20 VAT");
});

it("a file with commands keeps the rates of a file until those of the authority are valid", async () => {
  const till = await service(newAuthorityLedger());
  await till.stick(
    command("s1", COMMAND_TYPE.taxRates, taxRates),
    command("s2", COMMAND_TYPE.configuration, parameters),
  );
  await till.commands.confirm(UID, await till.heldIds(), false);
  const authority = new FakeAuthority().command(COMMAND_TYPE.taxRates, [cheap(7, LATER)], { uid: UID });
  await till.round(authority);
  const at = (time: number) => rateGroupAt(till.environments.of(UID)?.environment?.taxRates ?? [], time)?.groupId;
  expect([NOW, Date.parse(LATER) - 1, Date.parse(LATER)].map(at)).toEqual([GROUP.groupId, GROUP.groupId, 7]);
});

it("a file with commands that the authority sends too becomes the authority's", async () => {
  const ledger = newAuthorityLedger();
  const till = await service(ledger);
  const first = [command("s1", COMMAND_TYPE.taxRates, taxRates), command("s2", COMMAND_TYPE.configuration, parameters)];
  await till.stick(...first);
  await till.commands.confirm(UID, await till.heldIds(), false);
  expect((await ledger.sent()).map(({ fileUntil }) => fileUntil)).not.toContain(null);
  await till.commands.take(UID, first, "authority");
  await till.commands.execute(UID);
  const own = (await ledger.sent()).filter(({ fileUntil }) => fileUntil === null);
  expect(own.map(({ name }) => name).toSorted()).toEqual(["parameters", ...taxRates.map(() => "rates")]);
  expect(till.made()).toEqual([]);
});

it("a file with commands does not silently replace the rates of a file that a shop sells with", async () => {
  const file = loadNamedEnvironment("specification");
  const { stick, held, environments } = await service(newAuthorityLedger(), file);
  const taken = await stick(
    command("s1", COMMAND_TYPE.configuration, parameters),
    command("s2", COMMAND_TYPE.taxRates, cheap(7)),
  );
  expect(taken).toMatchObject({ held: 1, results: [{ commandId: "s1" }] });
  expect(environments.of(UID)?.environment).toBeUndefined();
  expect(await held()).toContainEqual(expect.stringMatching(/^A \(rate group 7, .*\): .* -> 0 /));
});

it.each<[string, AuthorityCommand]>([
  ["an address for QR codes", otherRoot("s1")],
  ["a time server", command("s1", COMMAND_TYPE.timeServer, "time.thief.test")],
  ["rates", command("s1", COMMAND_TYPE.taxRates, cheap(7, LATER))],
  ["parameters", command("s1", COMMAND_TYPE.configuration, { ...parameters, city: "Elsewhere" })],
])("a file with commands with %s waits for a yes, and the authority gets no result", async (_what, sent) => {
  const { stick, held, environments } = await configured();
  const before = environments.of(UID);
  expect(await stick(sent)).toMatchObject({ held: 1, waiting: 0, results: [] });
  expect(environments.of(UID)).toEqual(before);
  expect(await held()).not.toEqual([]);
  const authority = new FakeAuthority();
  await (await configured()).round(authority);
  expect(authority.reports).toEqual([]);
});

it("a file with commands executes a proof of audit at once, also behind a command that waits", async () => {
  const { stick, proofs } = await configured();
  const proof = command("s2", COMMAND_TYPE.proofOfAudit, Buffer.from("the proof").toString("base64"));
  const taken = await stick(otherRoot("s1"), proof);
  expect(proofs).toEqual(["the proof"]);
  expect(taken).toMatchObject({ held: 1, results: [{ commandId: "s2", success: true }] });
});

it("a file with commands that changes nothing is executed at once", async () => {
  const { stick, made } = await configured();
  const same = command("s1", COMMAND_TYPE.configuration, parameters);
  expect(await stick(same)).toMatchObject({ held: 0, results: [{ success: true }] });
  expect(made()).toEqual([]);
});

it("a file with commands waits through a restart, and is executed and reported after a yes", async () => {
  const folder = temporaryFolder();
  const before = storedAuthority(folder);
  await (await configured(before.ledger)).stick(otherRoot("s1"));
  before.store.close();
  const { commands, heldIds, held, made, root, stick } = await service(storedAuthority(folder).ledger);
  await commands.execute(UID);
  expect(root()).toBe(parameters.endpoints.root);
  expect(await held()).toEqual([`root: ${parameters.endpoints.root} -> ${OTHER_ROOT}`]);
  expect(await commands.confirm(UID, await heldIds(), false)).toBe("done");
  expect(root()).toBe(OTHER_ROOT);
  expect(made()).toEqual([{ name: "root", group: null, before: parameters.endpoints.root, after: OTHER_ROOT }]);
  expect(await stick(otherRoot("s1"))).toMatchObject({ held: 0, results: [{ commandId: "s1", success: true }] });
});

it("a file with commands hides no change behind others: addresses and what takes force now come first, then the other lines", async () => {
  const { stick, held } = await configured();
  const now = cheap(GROUP.groupId + 2, "2026-11-19T00:00:00.000Z");
  await stick(command("s1", COMMAND_TYPE.taxRates, [junk(GROUP.groupId + 1, 130), now]), otherRoot("s2"));
  const [first, ...lines] = (await held()) ?? [];
  expect(first).toBe(`root: ${parameters.endpoints.root} -> ${OTHER_ROOT}`);
  const rest = lines.map((line) => /rate group (\d+)/.exec(line)?.[1]);
  expect(rest.indexOf(`${GROUP.groupId + 1}`)).toBe(rest.lastIndexOf(`${GROUP.groupId + 2}`) + 1);
  expect(rest.filter((id) => id === `${GROUP.groupId + 1}`).length).toBeGreaterThanOrEqual(130);
});

it("a file with commands shows an address up to its end", async () => {
  const { stick, held } = await configured();
  const address = `https://verify.authority.test${"0".repeat(300)}@thief.test/v/?vl=`;
  await stick(command("s1", COMMAND_TYPE.verificationUrl, address));
  expect(await held()).toEqual([`root: ${parameters.endpoints.root} -> ${address}`]);
});

it("a file with commands fails if it changes more than a person can be shown, and the authority gets the reason", async () => {
  const { stick, root, held } = await configured();
  // Six labels and their categories go.
  const count = MOST_CHANGES - 7;
  const taken = await stick(command("s1", COMMAND_TYPE.taxRates, junk(7, count + 1)), otherRoot("s2"));
  expect(taken).toMatchObject({ held: 1, results: [{ commandId: "s1", success: false }] });
  expect(taken.failed).toMatchObject([{ reason: expect.stringContaining(`at most ${MOST_CHANGES}`) }]);
  expect(root()).toBe(parameters.endpoints.root);
  await stick(command("s2", COMMAND_TYPE.taxRates, junk(7, count)));
  expect(await held()).toHaveLength(MOST_CHANGES);
});

it("a file with commands that waited and has become too long is no longer shown", async () => {
  const { stick, round, heldIds, environments } = await configured();
  const half = MOST_CHANGES / 2 + 20;
  await stick(command("s1", COMMAND_TYPE.taxRates, junk(7, half)));
  expect(await heldIds()).toHaveLength(1);
  const authority = new FakeAuthority().command(COMMAND_TYPE.taxRates, junk(7, half, half), {
    uid: UID,
    commandId: "9",
  });
  await round(authority);
  expect(await stick(otherRoot("s2"))).toMatchObject({ held: 1 });
  expect(environments.toRead(NOW).held.map(({ commandId }) => commandId)).toEqual(["s2"]);
});

it("a file with commands shows with one yes only as many commands as fit, and the others with the next", async () => {
  const { commands, stick, heldIds, held, root } = await configured();
  const half = MOST_CHANGES / 2 + 20;
  await stick(
    command("s1", COMMAND_TYPE.taxRates, junk(7, half)),
    command("s2", COMMAND_TYPE.taxRates, junk(8, half, half)),
    otherRoot("s3"),
  );
  expect(await held()).not.toContainEqual(expect.stringContaining("rate group 8"));
  expect(await commands.confirm(UID, await heldIds(), true)).toBe("done");
  expect(root()).toBe(parameters.endpoints.root);
  expect(await held()).toContainEqual(expect.stringContaining(OTHER_ROOT));
  expect(await commands.confirm(UID, await heldIds(), true)).toBe("done");
  expect(await heldIds()).toEqual([]);
  expect(root()).toBe(OTHER_ROOT);
});

it("a file with commands does not confirm a list from which a command has gone since it was shown", async () => {
  const { commands, stick, heldIds, root } = await configured();
  await stick(otherRoot("s1"), command("s3", COMMAND_TYPE.timeServer, "time.thief.test"));
  const shown = await heldIds();
  await commands.refuse(UID, shown.slice(1));
  expect(await commands.confirm(UID, shown, true)).toBe("not-held");
  expect(root()).toBe(parameters.endpoints.root);
});

it("a file with commands does not replace what the authority itself sends under the same id", async () => {
  const { round, stick, root, held } = await configured();
  await stick(otherRoot("s1"));
  const authority = new FakeAuthority();
  const own = "https://verify.authority.test/v/?vl=";
  authority.command(COMMAND_TYPE.verificationUrl, own, { uid: UID, commandId: "s1" });
  await round(authority);
  expect(root()).toBe(own);
  expect(await held()).toBeUndefined();
  expect(authority.reports).toEqual([["s1", true]]);
});

it("a file with commands confirms only what was shown", async () => {
  const { commands, heldIds, stick, root, held } = await configured();
  await stick(otherRoot("s1"));
  const shown = await heldIds();
  await stick(command("s2", COMMAND_TYPE.timeServer, "time.thief.test"));
  expect(await commands.confirm(UID, shown, false)).toBe("done");
  expect(root()).toBe(OTHER_ROOT);
  expect(await held()).toEqual([`ntpServer: ${parameters.ntpServer} -> time.thief.test`]);
  expect(await commands.confirm(UID, shown, false)).toBe("not-held");
});

it("a file with commands executes no text that another file put in the place of the shown one", async () => {
  const till = await configured();
  await till.stick(otherRoot("s1"));
  const shown = await till.heldIds();
  const another = "https://another.test/v/?vl=";
  await till.stick(command("S1", COMMAND_TYPE.verificationUrl, another));
  expect(await till.commands.confirm(UID, shown, true)).toBe("not-held");
  expect(till.root()).toBe(parameters.endpoints.root);
  // The yes counts when the new text was shown.
  expect(await till.commands.confirm(UID, await till.heldIds(), true)).toBe("done");
  expect(till.root()).toBe(another);
});

it.each<[string, RateGroupFile, boolean]>([
  ["a known group changes", cheap(GROUP.groupId), true],
  ["an older group takes force from a newer one", cheap(GROUP.groupId - 1, "2026-01-01T00:00:00.000Z"), true],
  ["a newer group comes into force later", cheap(GROUP.groupId + 1, LATER), false],
])("a file with commands asks a second time if %s: %#", async (_what, group, twice) => {
  const { commands, heldIds, stick } = await configured();
  await stick(command("s1", COMMAND_TYPE.taxRates, group));
  expect(await commands.confirm(UID, await heldIds(), false)).toBe(twice ? "again" : "done");
  expect(await commands.confirm(UID, await heldIds(), true)).toBe(twice ? "done" : "not-held");
});

it("a file with commands with more than 500 commands is executed with the next imports, its proof of audit with the first, and no result is lost", async () => {
  const { stick, proofs } = await configured();
  const directive = (i: number) => command(`d${i}`, COMMAND_TYPE.directive, Buffer.from(`d${i}`).toString("base64"));
  const proof = command("proof", COMMAND_TYPE.proofOfAudit, Buffer.from("the proof").toString("base64"));
  const file = [...Array.from({ length: MOST_COMMANDS + 100 }, (_, i) => directive(i)), proof];
  const first = await stick(...file);
  expect([first.results.length, first.waiting]).toEqual([MOST_COMMANDS, 101]);
  expect(proofs.at(-1)).toBe("the proof");
  for (const _again of [1, 2]) {
    const { results, waiting } = await stick(...file);
    expect(waiting).toBe(0);
    expect(new Set(results.map(({ commandId }) => commandId))).toEqual(new Set(file.map(({ commandId }) => commandId)));
    expect(results).toHaveLength(file.length);
  }
  expect(proofs).toHaveLength(file.length);
}, 30_000);

it("a file with commands has the results of commands that a round with the authority reports during the import", async () => {
  const { commands } = await configured();
  const authority = new FakeAuthority();
  const besideRound = Object.assign(Object.create(commands) as Commands, {
    execute: async (uid: string) => {
      await commands.execute(uid);
      await commands.report(uid, authority);
    },
  });
  const directive = command("d1", COMMAND_TYPE.directive, Buffer.from("d1").toString("base64"));
  const taken = await takeCommands(UID, JSON.stringify([directive]), besideRound, NOW);
  expect(authority.reports).toEqual([["d1", true]]);
  expect(taken).toMatchObject({ results: [{ commandId: "d1", success: true }], waiting: 0 });
});

it("a file with commands is announced once, and again when a file brings another text or another command with the same text", async () => {
  const { commands, stick, warn, changed } = await configured();
  const other = command("s1", COMMAND_TYPE.verificationUrl, "https://worse.test/v/?vl=");
  for (const sent of [otherRoot("s1"), other, { ...other, commandId: "s2" }]) {
    for (const announced of [1, 0]) {
      warn.mockClear();
      changed.mockClear();
      await (announced ? stick(sent) : commands.execute(UID));
      expect([warn.mock.calls.length, changed.mock.calls.length]).toEqual([announced, announced]);
    }
  }
});

it("a file with commands waits for a yes also if another card has what it brings", async () => {
  const { commands, stick, held, root } = await configured();
  await commands.take("OTHERONE", [{ ...otherRoot("o1"), uid: "OTHERONE" }], "authority");
  await commands.execute("OTHERONE");
  await stick(otherRoot("s1"));
  expect(await held()).toEqual([expect.stringContaining(OTHER_ROOT)]);
  expect(root()).toBe(parameters.endpoints.root);
});

it("a file with commands waits for no yes if it is another name of the same server", async () => {
  const { stick, root, made } = await configured();
  const renamed = again(parameters.endpoints.root);
  await stick(command("s1", COMMAND_TYPE.verificationUrl, renamed));
  expect([root(), made()]).toEqual([renamed, []]);
});

it("a file with commands leaves what is too much in the file, but never a proof of audit", async () => {
  const { commands, stick, proofs, heldIds } = await configured();
  const many = (from: number) => Array.from({ length: MOST_HELD }, (_, i) => otherRoot(`n${from + i}`));
  await stick(...many(0));
  expect(await heldIds()).toHaveLength(MOST_HELD);
  const proof = command("proof", COMMAND_TYPE.proofOfAudit, Buffer.from("the proof").toString("base64"));
  const taken = await stick(proof, ...many(10_000).slice(1));
  expect(taken).toMatchObject({ held: 0, waiting: MOST_HELD - 1 });
  expect(proofs).toEqual(["the proof"]);
  expect(await commands.refuse(UID, await heldIds())).toBe(MOST_HELD);
}, 30_000);

it("a file with commands confirms and refuses no text that another file puts in the place of a shown one in that moment", async () => {
  const { commands, stick, heldIds, root } = await configured();
  await stick(otherRoot("s1"), command("s2", COMMAND_TYPE.timeServer, "time.other.test"));
  const ids = await heldIds();
  const replacement = command("s1", COMMAND_TYPE.verificationUrl, "https://worse.test/v/?vl=");
  const answers = [commands.confirm(UID, ids, true), commands.take(UID, [replacement], "file")] as const;
  expect(await answers[0]).toBe("not-held");
  await answers[1];
  expect(await commands.refuse(UID, ids)).toBe(1);
  expect(root()).toBe(parameters.endpoints.root);
});

it("a file with commands leaves long commands in the file, also when a command that waits gets a longer text", async () => {
  const { commands, stick } = await configured();
  const padded = (id: string, length: number) =>
    command(id, COMMAND_TYPE.taxRates, JSON.stringify(cheap(7, LATER)).padEnd(length));
  const size = MOST_HELD_CHARACTERS / 4;
  const taken = await stick(...["a", "b", "c"].map((id) => padded(id, size)), padded("d", 1000), padded("e", size));
  expect(taken).toMatchObject({ held: 4, waiting: 1 });
  await stick(padded("d", size + 1));
  const waiting = commands.toRead.held.reduce((sum, { payload }) => sum + payload.length, 0);
  expect(waiting).toBe(3 * size + 1000);
  expect(await stick(padded("d", size))).toMatchObject({ held: 1 });
});

it("a file with commands fails at once with a text that is too long for the card, and lets no more than 500 commands wait for it", async () => {
  const ledger = newAuthorityLedger();
  const { stick } = await service(ledger, undefined, { kind: "later", reason: "the card waits for its PIN" });
  const proof = (id: string, text: string) => command(id, COMMAND_TYPE.proofOfAudit, text);
  const taken = await stick(proof("long", "A".repeat(4097)), proof("short", "AAAA"));
  expect(taken).toMatchObject({ failed: [{ commandId: "long" }], waiting: 1 });
  await stick(...Array.from({ length: MOST_HELD }, (_, i) => proof(`p${i}`, "AAAA")));
  expect(await ledger.openCommands(UID)).toHaveLength(MOST_HELD);
});

it("a file with commands lets sales have their turn while its results are written and while it is shown, and is refused in one commit", async () => {
  const ledger = newAuthorityLedger();
  const { commands, stick, heldIds } = await configured(ledger);
  const unknown = Array.from({ length: 50 }, (_, i) => command(`u${i}`, 99, ""));
  expect(await turnsDuring(() => stick(...unknown))).toBeGreaterThanOrEqual(2 * unknown.length);
  const held = Array.from({ length: 50 }, (_, i) => otherRoot(`h${i}`));
  await stick(...held);
  expect(await turnsDuring(() => commands.held(UID))).toBeGreaterThanOrEqual(held.length);
  const commit = vi.spyOn(ledger, "commit");
  expect(await commands.refuse(UID, await heldIds())).toBe(held.length);
  expect(commit).toHaveBeenCalledOnce();
});

it("the authority over TLS changes rates without a question, at their validFrom, and the change is kept until a person has seen it", async () => {
  const { round, made, environments, commands } = await configured();
  const authority = new FakeAuthority().command(COMMAND_TYPE.taxRates, cheap(7, LATER), { uid: UID, commandId: "9" });
  await round(authority);
  const groups = environments.of(UID)?.environment?.taxRates ?? [];
  expect(rateGroupAt(groups, Date.parse(LATER) - 1)?.groupId).toBe(GROUP.groupId);
  expect(rateGroupAt(groups, Date.parse(LATER))?.groupId).toBe(7);
  expect(authority.reports).toEqual([["9", true]]);
  expect(made()).toContainEqual(expect.objectContaining({ name: "A", group: { id: 7, validFrom: LATER } }));
  expect(await commands.seen(environments.toRead(NOW).made.map(({ id }) => id))).toBe(1);
  expect(made()).toEqual([]);
});

it("the authority over TLS shows a change for 14 days at most", async () => {
  const { round, environments } = await configured();
  const authority = new FakeAuthority().command(COMMAND_TYPE.verificationUrl, OTHER_ROOT, { uid: UID, commandId: "9" });
  await round(authority);
  const days = (count: number) => environments.toRead(NOW + count * 86_400_000).made;
  expect(days(13.9)).toHaveLength(1);
  expect(days(14)).toEqual([]);
});

const group = fc.record({
  groupId: fc.integer({ min: 1, max: 4 }),
  validFrom: fc.constantFrom(NOW - 2, NOW - 1, NOW + 1, NOW + 2),
  taxCategories: fc.constantFrom(
    ...["1", "2"].map((name): TaxRateGroup["taxCategories"] => [
      { name, categoryType: 0, orderId: 1, taxRates: [{ label: "A", rate: 90_000n }] },
    ]),
  ),
});
const groups = fc.uniqueArray(group, { selector: ({ groupId }) => groupId, minLength: 1, maxLength: 4 });
const { parameters: same } = loadNamedEnvironment("specification") ?? {};
if (!same) throw new Error("the fixture has no parameters");
const changes = (one: readonly TaxRateGroup[], other: readonly TaxRateGroup[]) =>
  changesBetween({ parameters: same, taxRates: one }, { parameters: same, taxRates: other }, NOW);

it("changes of rates are shown whenever another group or another content is in force at some time from now on", () => {
  fc.assert(
    fc.property(groups, groups, (before, after) => {
      const differs = [NOW, NOW + 1, NOW + 2].some((time) => {
        const [old, next] = [rateGroupAt(before, time), rateGroupAt(after, time)];
        return old?.groupId !== next?.groupId || old?.taxCategories[0]?.name !== next?.taxCategories[0]?.name;
      });
      if (differs) expect(changes(before, after)).not.toEqual([]);
      expect(changes(before, before)).toEqual([]);
    }),
  );
});

const rated = (groupId: number, validFrom: number, rate = 90_000n, categoryType: 0 | 1 = 0): TaxRateGroup => ({
  groupId,
  validFrom,
  taxCategories: [{ name: "VAT", categoryType, orderId: 1, taxRates: [{ label: "A", rate }] }],
});

it("changes of rates name a known group that takes force, also beside the lines of another group", () => {
  const before = [rated(1, NOW - 2), rated(2, NOW - 1)];
  const lines = changes(before, [rated(1, NOW - 2), rated(3, NOW + 9, 1n)]).map(changeText);
  expect(lines[0]).toBe("groupId: 2 -> 1");
});

it("changes of rates name another type of category, also beside another rate", () => {
  const lines = changes([rated(1, NOW - 2)], [rated(1, NOW - 2, 1n, 1)]).map(changeText);
  expect(lines).toContainEqual(expect.stringMatching(/^taxCategories .*\(type 0\) -> 1 VAT \(type 1\)$/));
});

it("changes of rates ask a second time if an older group comes into force later", () => {
  const before = { parameters: same, taxRates: [rated(2, NOW - 2)] };
  const after = { parameters: same, taxRates: [rated(2, NOW - 2), rated(1, NOW + 1)] };
  expect(needsSecondYes(before, after, NOW)).toBe(true);
});

it("changes of rates ask a second time only if a group changes or an older one is in force, and never when only a newer one is added", () => {
  fc.assert(
    fc.property(groups, group, (before, added) => {
      const newest = Math.max(...before.map(({ groupId }) => groupId));
      const after = [...before, { ...added, groupId: newest + 1 }];
      const configuration = (taxRates: readonly TaxRateGroup[]) => ({ parameters: same, taxRates });
      expect(needsSecondYes(configuration(before), configuration(after), NOW)).toBe(false);
    }),
  );
});
