/** docs/restore.md: its commands, run on another machine with the last backup and the card. */
import { execFile } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { serveProcess } from "../support/command.js";
import { CLI, environmentWith } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const PAGE = readFileSync(join(PACKAGE_ROOT, "docs", "restore.md"), "utf8");
/** The page's blocks of commands, in order. */
const BLOCKS = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block.replace(/^ +/gm, "").trim());
/** The page's placeholders. */
const [DATA, BACKUP] = ["/var/lib/tillseal", "/backup/tillseal-1a2b3c4d-20260301T120000Z.db"];

interface Place {
  readonly data: string;
  readonly backup: string;
}
const onThisMachine = (text: string, { data, backup }: Place) => text.replaceAll(DATA, data).replaceAll(BACKUP, backup);

/** As in a shop's shell, `tillseal` is a command. */
function shell(block: string, place: Place): Promise<{ status: number; output: string }> {
  const folder = temporaryFolder();
  const command = join(folder, "tillseal");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(command, 0o755);
  const env = environmentWith({ PATH: `${folder}:${process.env.PATH}` });
  return new Promise((resolve) => {
    execFile("sh", ["-ec", onThisMachine(block, place)], { env }, (error, stdout, stderr) => {
      resolve({ status: Number(error?.code ?? 0), output: stdout + stderr });
    });
  });
}

/** The shop moves its card; the emulated one is a file in the data folder. */
const moveCard = (from: string, to: string) => cpSync(join(from, "card"), join(to, "card"), { recursive: true });

const EMULATED = ["--no-authority", "--control-port", "0"];
const sell = (url: string, id: string) =>
  callService(url, "POST", "/api/v3/invoices", { headers: { ...JSON_HEADERS, RequestId: id }, body: sale() });

async function selling(dataDir: string, ...flags: string[]) {
  const service = await serveProcess([...EMULATED, "--data-dir", dataDir, ...flags]);
  const pin = /PIN of the emulated card: (\d+)/.exec(service.greeting)?.[1] ?? "";
  expect((await callService(service.url, "POST", "/api/v3/pin", { body: pin })).status).toBe(200);
  return service;
}

it("a shop whose machine broke restores the last backup on another machine, reports what is missing, and sells on", async () => {
  expect(BLOCKS).toHaveLength(3);
  const [restore = "", look = "", confirm = ""] = BLOCKS;
  const broken = temporaryFolder();
  const backup = temporaryFolder();
  const before = await selling(broken);
  for (const id of ["1", "2"]) expect((await sell(before.url, id)).status).toBe(200);
  before.process.kill("SIGTERM");
  await before.exited;
  const last = await selling(broken, "--backup-folder", backup);
  await vi.waitFor(() => expect(readdirSync(backup).some((name) => name.endsWith("Z.db"))).toBe(true), 20_000);
  for (const id of ["3", "4", "5"]) expect((await sell(last.url, id)).status).toBe(200);
  // SIGTERM, so that the emulated card writes its state; a real card needs no such end.
  last.process.kill("SIGTERM");
  await last.exited;

  const newest = readdirSync(backup).findLast((name) => name.endsWith("Z.db")) ?? "";
  const place = { data: join(temporaryFolder(), "tillseal"), backup: join(backup, newest) };
  // The package has started a service there. It was killed, and its write-ahead log is in the folder.
  const installed = await serveProcess([...EMULATED, "--data-dir", place.data]);
  const early = await shell(restore, place);
  expect([early.status, early.output]).toEqual([1, expect.stringContaining("is in use by another tillseal")]);
  installed.process.kill("SIGKILL");
  await installed.exited;
  expect(readdirSync(join(place.data, "store"))).toContain("tillseal.db-wal");
  const restored = await shell(restore, place);
  expect([restored.status, restored.output]).toEqual([0, expect.stringContaining(": 2 receipts")]);
  expect(readdirSync(join(place.data, "store"))).toEqual(["tillseal.db"]);
  moveCard(broken, place.data);
  const service = await selling(place.data);
  const { output: looked } = await shell(look, place);
  expect(looked).toContain("1999");
  expect(looked).toContain(
    "Invoices 3 to 5: this service has number and amount of the last one, and lacks the others.",
  );
  const replayed = await sell(service.url, "2");
  expect([replayed.status, replayed.headers["idempotent-replayed"]]).toEqual([200, "true"]);
  expect((await sell(service.url, "6")).json()).toMatchObject({ totalCounter: 6 });
  const confirmed = await shell(confirm, place);
  expect([confirmed.status, confirmed.output]).toEqual([0, expect.stringContaining("nothing is wrong")]);
  expect(confirmed.output).toMatch(/confirmed on/);
  const status = (await callService(service.url, "GET", "/api/v3/status")).json<{ gsc: string[]; mssc: string[] }>();
  expect(status.gsc).not.toContain("1999");
  expect((await sell(service.url, "7")).json()).toMatchObject({ totalCounter: 7 });
});
