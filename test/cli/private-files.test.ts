/** Only the owner can read what the service writes, whatever the umask. */
import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serve, serveProcess, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";

/** Files below a folder whose permissions are not 0600. */
function tooOpen(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const modes = names
    .map((name) => ({ name, entry: statSync(join(folder, name)) }))
    .filter(({ entry }) => entry.isFile());
  expect(modes.length).toBeGreaterThan(3);
  return modes.filter(({ entry }) => (entry.mode & 0o777) !== 0o600).map(({ name }) => name);
}

/** Commands started by this test inherit the umask. */
function withUmask(umask: number): void {
  const before = process.umask(umask);
  onTestFinished(() => void process.umask(before));
}

async function call(url: string, method: string, path: string, body: string): Promise<number> {
  const headers = { "Content-Type": path.endsWith("pin") ? "text/plain" : "application/json" };
  return (await fetch(url + path, { method, headers, body })).status;
}

it.each([0o000, 0o022, 0o077])("store, card, settings, recording and backup are 0600 with umask %i", async (umask) => {
  const folder = temporaryFolder();
  withUmask(umask);
  const [dataDir, recording, backup] = ["data", "day.yaml", "copy.db"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const { url } = await serve(["--data-dir", dataDir, "--record", recording]);
  expect(await call(url, "POST", "/api/v3/pin", "1234")).toBe(200);
  expect(await call(url, "POST", "/api/v3/test-invoice", "{}")).toBe(200);
  expect(await call(url, "PUT", "/console/settings", '{"answerForm":"device"}')).toBe(200);
  expect((await tillseal(["backup", backup, "--data-dir", dataDir])).status).toBe(0);
  expect(readdirSync(dataDir, { recursive: true })).toEqual(
    expect.arrayContaining([join("store", "tillseal.db-wal"), "tillseal.running.json", "tillseal.yaml"]),
  );
  expect(tooOpen(folder)).toEqual([]);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

it("store, card, configuration, recording and backup become 0600 when others could read them before", async () => {
  const folder = temporaryFolder();
  const recording = join(folder, "day.yaml");
  const first = await serveProcess(["--data-dir", folder, "--record", recording]);
  await call(first.url, "POST", "/api/v3/pin", "1234");
  await call(first.url, "POST", "/api/v3/test-invoice", "{}");
  first.process.kill("SIGKILL");
  await first.exited;
  writeFileSync(join(folder, "tillseal.yaml"), "port: 0\n");
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  for (const name of names) chmodSync(join(folder, name), 0o666);
  const { url } = await serve(["--data-dir", folder, "--record", recording]);
  expect(await call(url, "PUT", "/console/settings", '{"answerForm":"device"}')).toBe(200);
  // The serial number is in every answer, the store's name in those of its backups, and neither is written again.
  expect(tooOpen(folder)).toEqual(["tillseal.serial", "tillseal.store"]);
});
