/** A backup was restored: sales that it lacks reach the tax authority from the store that was kept, and the proof covers them. */
import { copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commandsFile, takeStick } from "../../emulator/tax-authority/stick.js";
import { AuthorityError } from "../../src/authority/tax-authority.js";
import { restoreBackup } from "../../src/bookkeeping/backup/restore.js";
import type { ReportsRecord } from "../../src/console/records/reports.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { keptStores } from "../../src/ledger/store-folder.js";
import { openAuthority } from "../support/audited-till.js";
import { AuditingAuthority } from "../support/auditing-authority.js";
import { tillseal } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { verdictOn } from "../support/store-file.js";
import { openTill, type Till } from "../support/till.js";

const UID = "TESTCARD";

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
  restoreBackup({ dataDir, file, at: Date.now(), damaged: false });
  const till = await open();
  await till.sell();
  return till;
}

it("an audit that a restore has taken back is a finding until the authority has the packages from the kept store, and the card its proof", async () => {
  const dataDir = temporaryFolder();
  const stick = temporaryFolder();
  const till = await restored(dataDir);
  const authority = await openAuthority();
  authority.register({ certificate: till.card.certificate });
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
  // Status, console and verify name the same counters, although the store has number and amount of the last sale.
  const { findings } = (await till.call("GET", "/console/till")).json<TillRecord>();
  expect(findings.find(({ key }) => key === "salesMissing")?.values).toEqual({ counters: "3–4" });
  const { reports } = (await till.call("GET", "/console/reports")).json<ReportsRecord>();
  expect(reports).toMatchObject([{ kind: "behind", from: 3, to: 4 }]);
  expect(verdictOn(dataDir).notes).toContainEqual(
    expect.objectContaining({ problem: expect.stringMatching(/^counters 3 to 4 of TESTCARD are not in the store/) }),
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
  expect(imported).toContain("The audit is still open: there was no proof of audit on the stick.");
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
