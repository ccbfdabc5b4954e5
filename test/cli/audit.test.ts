/** `tillseal audit`: the state of audits, and a whole audit by stick, with and without the service. */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { proofOfAudit } from "../../emulator/pki/audit.js";
import { requireWhole } from "../../src/authority/audit-stick.js";
import { COPY_LIST } from "../../src/authority/stick-files.js";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import type { AuditsRecord } from "../../src/console/records/audits.js";
import { openStore } from "../../src/ledger/database.js";
import { openPackage } from "../support/auditing-authority.js";
import { type RunningService, saying, serve, serveProcess } from "../support/command.js";
import { KEYS } from "../support/emulated-card.js";
import { sentEnvironment } from "../support/fake-authority.js";
import { temporaryFolder } from "../support/folder.js";
import { pin, sell } from "../support/sell.js";

const UID = "TESTCARD";
const NEW_ROOT = "https://other.test/v/?vl=";

/** The authority's portal: writes a proof for the request on the stick. */
function prove(stick: string, commandId: string): void {
  const request = readFileSync(join(stick, UID, `${UID}.arp`));
  expect(request).toHaveLength(256);
  const proof = Buffer.from(proofOfAudit(request, KEYS.authorityPrivateKey) ?? []).toString("base64");
  const command = { commandId, type: COMMAND_TYPE.proofOfAudit, payload: proof, uid: UID };
  writeFileSync(join(stick, UID, `${UID}.commands`), JSON.stringify([command]));
}

it("tillseal audit exports the sales to a stick and imports the proof once", async () => {
  const dataDir = temporaryFolder();
  const stick = temporaryFolder();
  const folder = join(stick, UID);
  const audit = (...args: string[]) => saying(["audit", ...args, "--data-dir", dataDir]);
  /** Exit status and first line. */
  const exportHere = async (dir: string) => {
    const [status, text] = await audit("export", dir, "--same-disk");
    return [status, text.split("\n")[0]];
  };
  const auditState = async () => JSON.parse((await audit("status", "--json"))[1]) as AuditsRecord;
  const service = await serve(["--data-dir", dataDir, "--no-authority"]);
  expect(await audit("now")).toEqual([
    1,
    expect.stringMatching(/no connection to the tax authority.*tillseal audit export DIR/),
  ]);
  await pin(service);
  await sell(service);
  await sell(service);
  expect((await auditState()).cards).toMatchObject([{ uid: UID, inReader: true, unsent: 2, audit: null }]);
  expect(await audit("unsent")).toEqual([1, expect.stringContaining("before you change this machine")]);
  const absent = join(stick, "not-mounted");
  expect(await audit("export", absent)).toEqual([
    1,
    expect.stringContaining(`there is no folder ${absent}: put the stick in`),
  ]);
  expect(await audit("export", absent, "--same-disk")).toEqual([1, expect.stringContaining("there is no folder")]);
  expect(await audit("export", stick)).toEqual([
    1,
    expect.stringContaining(`${stick} is on the disk of the data folder`),
  ]);
  expect(readdirSync(stick)).toEqual([]);
  expect(await exportHere(stick)).toEqual([0, `${folder}: 2 sales and the request for a proof of audit`]);
  // A copy on the same disk is no stick.
  expect((await audit("unsent"))[0]).toBe(1);
  expect(readdirSync(folder).toSorted()).toEqual([
    `${UID}-${UID}-1.json`,
    `${UID}-${UID}-2.json`,
    `${UID}.arp`,
    COPY_LIST,
  ]);
  const sent = JSON.parse(
    openPackage(JSON.parse(readFileSync(join(folder, `${UID}-${UID}-2.json`), "utf8"))),
  ) as object;
  expect(sent).toMatchObject({
    request: { invoiceType: "Normal" },
    result: { totalCounter: 2, journal: expect.any(String) },
  });

  // Sales go on while the stick is away.
  await sell(service);
  prove(stick, "proof-1");
  const commands = join(folder, `${UID}.commands`);
  copyFileSync(commands, `${commands}.whole`);
  writeFileSync(commands, readFileSync(commands).subarray(0, 40));
  expect(await audit("import", stick)).toEqual([1, expect.stringContaining("the file of commands is incomplete")]);
  expect((await auditState()).cards).toMatchObject([{ unsent: 3, audit: { waitsFor: expect.any(String) } }]);

  copyFileSync(`${commands}.whole`, commands);
  const results = () => JSON.parse(readFileSync(join(folder, `${UID}.results`), "utf8")) as unknown;
  for (let i = 0; i < 2; i++) {
    const counts = ["1 command executed", "0 commands executed; 1 command executed before"][i];
    expect(await audit("import", stick)).toEqual([0, `${UID}: ${counts}\n`]);
    expect(results()).toEqual([
      { commandId: "proof-1", success: true, dateAndTime: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
    expect((await auditState()).cards).toMatchObject([{ unsent: 1, audit: null, lastAudit: { outcome: "ended" } }]);
  }
  expect(await exportHere(stick)).toEqual([0, `${folder}: 1 sale and the request for a proof of audit`]);
  expect(existsSync(join(folder, `${UID}-${UID}-1.json`))).toBe(false);

  // A proof of another audit fails until a right one has come.
  const wrong = { commandId: "proof-2", type: COMMAND_TYPE.proofOfAudit, payload: btoa("x".repeat(256)), uid: UID };
  writeFileSync(commands, JSON.stringify([wrong]));
  const failure = /^ {2}Failed: proof of audit \(proof-2\): the card refused the proof/m;
  expect(await audit("import", stick)).toEqual([1, expect.stringMatching(failure)]);
  expect(await audit("status")).toEqual([1, expect.stringMatching(failure)]);
  expect((await auditState()).cards).toMatchObject([{ failed: [{ commandId: "proof-2", type: 5 }] }]);

  await service.stop();
  const [, text] = await audit();
  expect(text).toContain("Without a proof of audit: 1 sale of 100000\n");
  // Without the service, neither the reader nor the connection was looked at.
  expect(text).toContain(`Card ${UID}\n`);
  expect(text).not.toMatch(/reader|connection/);
  expect(text).toMatch(/\n\nNo service answers\. This is the state of its store\.\n$/);
  expect(await auditState()).toMatchObject({ configured: null, cards: [{ inReader: null }] });
  expect(await audit("now")).toEqual([1, "tillseal: start the service first: only the service talks to the card\n"]);
  const other = temporaryFolder();
  expect(await exportHere(other)).toEqual([0, `${join(other, UID)}: 1 sale and the request for a proof of audit`]);
}, 120_000);

it("tillseal audit shows what a file would change, and changes it only after a yes", async () => {
  const dataDir = temporaryFolder();
  const stick = temporaryFolder();
  const folder = join(stick, UID);
  mkdirSync(folder);
  const audit = (...args: string[]) => saying(["audit", ...args, "--data-dir", dataDir]);
  const flags = ["--data-dir", dataDir, "--no-authority", "--environment", "none"];
  const write = (...commands: (readonly [commandId: string, type: number, payload: unknown])[]) => {
    const sent = commands.map(([commandId, type, payload]) => ({
      commandId,
      type,
      payload: typeof payload === "string" ? payload : JSON.stringify(payload),
      uid: UID,
    }));
    writeFileSync(join(folder, `${UID}.commands`), JSON.stringify(sent));
  };
  const results = () =>
    (JSON.parse(readFileSync(join(folder, `${UID}.results`), "utf8")) as { commandId: string; success: boolean }[]).map(
      ({ commandId, success }) => [commandId, success],
    );
  const rootNow = async ({ url }: RunningService) => {
    const answer = await fetch(`${url}/api/v3/environment-parameters`);
    return ((await answer.json()) as { endpoints: { root: string } }).endpoints.root;
  };
  const { parameters, taxRates } = sentEnvironment();
  const { root } = parameters.endpoints;
  const first = await serveProcess(flags);
  await pin(first);
  write(["rates", COMMAND_TYPE.taxRates, taxRates], ["parameters", COMMAND_TYPE.configuration, parameters]);
  expect(await audit("import", stick, "--yes")).toEqual([
    0,
    expect.stringMatching(/would change:\n {2}[\s\S]* root: nothing -> [\s\S]*TESTCARD: 2 commands executed\n$/),
  ]);

  write(["time", COMMAND_TYPE.timeServer, parameters.ntpServer], ["root", COMMAND_TYPE.verificationUrl, NEW_ROOT]);
  const shown = `${UID}: 1 command of a file that is not signed would change:\n  root: ${root} -> ${NEW_ROOT}\n`;
  const [status, text] = await audit("import", stick);
  expect([status, text]).toEqual([2, expect.stringContaining(shown)]);
  expect(text).toContain(
    `${UID}: 1 command executed; 1 wait for your yes: tillseal audit confirm, or the page Audit\n`,
  );
  expect(text).toContain("1 command not executed: without a terminal to ask on, add --yes");
  expect(results()).toEqual([["time", true]]);
  first.process.kill("SIGKILL");
  await first.exited;

  const second = await serve(flags);
  await pin(second);
  expect(await rootNow(second)).toBe(root);
  expect(await audit("confirm")).toEqual([2, expect.stringContaining(shown)]);
  expect(await audit("import", stick, "--yes")).toEqual([
    0,
    `${shown}${UID}: 1 command executed; 1 command executed before\n`,
  ]);
  expect(await rootNow(second)).toBe(NEW_ROOT);
  expect(results()).toEqual([
    ["time", true],
    ["root", true],
  ]);
  expect(await audit("confirm", "--yes")).toEqual([
    0,
    expect.stringMatching(/changed .*:\n {2}root: .*\nConfirmed\.\n$/),
  ]);
  expect(await audit("confirm")).toEqual([0, "There is nothing to confirm.\n"]);

  write(["back", COMMAND_TYPE.verificationUrl, root]);
  expect((await audit("import", stick))[0]).toBe(2);
  expect(await audit("confirm", "--refuse")).toEqual([0, "Refused.\n"]);
  expect(await audit("import", stick)).toEqual([1, expect.stringContaining("1 failed")]);
  expect(results()).toEqual([["back", false]]);
  expect(await rootNow(second)).toBe(NEW_ROOT);
}, 120_000);

it("tillseal audit detects an interrupted copy and a damaged stick", async () => {
  const folder = join(temporaryFolder(), UID);
  mkdirSync(folder);
  const file = join(folder, "a.json");
  writeFileSync(file, "{}");
  await expect(requireWhole(folder)).rejects.toThrow(/was interrupted/);
  const hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
  writeFileSync(join(folder, COPY_LIST), JSON.stringify({ uid: UID, files: { "a.json": hash } }));
  await requireWhole(folder);
  const copy = join(temporaryFolder(), "copy");
  cpSync(folder, copy, { recursive: true });
  writeFileSync(join(copy, "a.json"), "{");
  await expect(requireWhole(copy)).rejects.toThrow(/differs from what was written/);
  rmSync(file);
  await expect(requireWhole(folder)).rejects.toThrow(/differs from what was written/);
});

it("tillseal audit reports a missing stick, file of commands or store", async () => {
  const folder = temporaryFolder();
  const where = ["--data-dir", folder];
  const runAudit = (...args: string[]) => saying(["audit", ...args, ...where]);
  expect(await runAudit("status")).toEqual([
    1,
    expect.stringContaining(`there is no ${join(folder, "store/tillseal.db")}`),
  ]);
  expect(readdirSync(folder)).toEqual([]);
  const service = await serve(where);
  await pin(service);
  expect(await runAudit("import", join(folder, "stick"))).toEqual([1, expect.stringContaining("does not exist")]);
  expect(await runAudit("import", folder)).toEqual([
    1,
    expect.stringContaining("has no folder with a file of commands"),
  ]);
}, 60_000);

it("tillseal audit exports without the service right after the first PIN of a card, and says why it cannot without the key", async () => {
  const dataDir = temporaryFolder();
  const service = await serveProcess(["--data-dir", dataDir, "--no-authority"]);
  await pin(service);
  await sell(service);
  service.process.kill("SIGKILL");
  await service.exited;
  const stick = temporaryFolder();
  const exported = () => saying(["audit", "export", stick, "--same-disk", "--data-dir", dataDir]);
  expect(await exported()).toEqual([0, expect.stringContaining("1 sale\n")]);
  const store = openStore(dataDir);
  expect(store.db.prepare("DELETE FROM audit_progress").run().changes).toBe(1);
  store.close();
  const [status, text] = await exported();
  expect([status, text]).toEqual([1, expect.stringMatching(/could not be made: .*authority's key.*enter its PIN/)]);
  expect(text).not.toContain("verify");
}, 60_000);
