/** The console's state of the till, its event stream and its page. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { CONSOLE_ENDPOINTS } from "../../src/console/endpoints.js";
import type { CheckRecord } from "../../src/console/records/doctor.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { isConsolePath } from "../../src/http/endpoints.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { consoleRecord } from "../support/console-records.js";
import { temporaryFolder } from "../support/folder.js";
import { JSON_HEADERS, openTill, sale } from "../support/till.js";

it("the console's till repeats the codes of status and adds the taxpayer, the PIN attempts and the rates", async () => {
  const till = await openTill({ pinVerified: false });
  await till.pin("0000");
  const record = await consoleRecord<TillRecord>(till, "/till");
  expect(record.codes).toEqual(["1500"]);
  expect(record.card).toMatchObject({ state: "ready", pin: "required", pinTriesLeft: 4, uid: "TESTCARD" });
  expect(record.rates.filter(({ current }) => current)).toHaveLength(1);
  expect(record.environment).toMatchObject({ timeZone: "Europe/Belgrade" });
});

it("the console's till does not ask a working card for PIN attempts, and says why a card is missing", async () => {
  const till = await openTill();
  expect((await consoleRecord<TillRecord>(till, "/till")).card).toMatchObject({
    pin: "verified",
    pinTriesLeft: null,
  });
  till.reader.remove();
  expect((await consoleRecord<TillRecord>(till, "/till")).card).toMatchObject({
    state: "no-card",
    why: { code: "noCard" },
  });
  till.reader.unplug();
  expect((await consoleRecord<TillRecord>(till, "/till")).card).toMatchObject({
    noReader: true,
    why: { code: "unplugged" },
  });
});

const verdictAfter = async (pinVerified: boolean) => {
  const till = await openTill({ settings: { card: "pcsc" }, pinVerified });
  const record = await consoleRecord<TillRecord>(till, "/till");
  return record.findings.map(({ key }) => key);
};

it('the verdict on a test card in a shop replaces "ready", and is shown beside other things to do', async () => {
  expect(await verdictAfter(true)).toEqual(["testCard"]);
  expect(await verdictAfter(false)).toEqual(["pinNeeded", "testCard"]);
});

it("the console's event stream announces sales and card changes but not the console's own requests, and ends with the service", async () => {
  const till = await openTill();
  const stream = await fetch(`${till.url}/console/events`);
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader?.read())?.value;
  expect(await next()).toContain("event: changed");
  await consoleRecord(till, "/till");
  await till.sell();
  expect(await next()).toBe("event: changed\ndata:\n\n");
  till.reader.remove();
  expect(await next()).toBe("event: changed\ndata:\n\n");
  await till.stop();
  expect(await next()).toBeUndefined();
});

it("the console's event stream is not held open for a HEAD request", async () => {
  const till = await openTill();
  expect((await till.call("HEAD", "/console/events")).status).toBe(200);
});

it("the console's paths are recognised in capital letters", async () => {
  expect(["/CONSOLE/receipts.csv", "/Console", "/"].map(isConsolePath)).toEqual([true, true, true]);
  expect(["/consoles", "/api/v3/pin", "/v/"].map(isConsolePath)).toEqual([false, false, false]);
});

it("the console's page is small enough for a slow machine, and loads what only PDF files need on demand", () => {
  const folder = join(PACKAGE_ROOT, "dist", "console");
  const compressed = (file: string) => gzipSync(readFileSync(join(folder, file))).length;
  const index = readFileSync(join(folder, "index.html"), "utf8");
  const first = [...index.matchAll(/\/console\/(assets\/[^"]+)"/g)].map(([, file = ""]) => file);
  expect(first.length).toBeGreaterThan(1);
  expect(["index.html", ...first].reduce((sum, file) => sum + compressed(file), 0)).toBeLessThan(100_000);
  const all = readdirSync(join(folder, "assets")).map((name) => compressed(join("assets", name)));
  expect(all.reduce((sum, size) => sum + size, 0)).toBeLessThan(450_000);
});

it("the console's page contains no path of the machine that built it", () => {
  const folder = join(PACKAGE_ROOT, "dist", "console", "assets");
  for (const name of readdirSync(folder)) {
    // The text itself would be one endless line in the report.
    expect([name, readFileSync(join(folder, name), "utf8").includes(PACKAGE_ROOT)]).toEqual([name, false]);
  }
});

it("answers with receipts forbid the browser to keep them", async () => {
  const till = await openTill();
  await till.sell(sale(), { RequestId: "order-1" });
  const paths = ["/api/v3/invoices", "/api/v3/invoices/order-1", "/api/v3/invoices/order-1/escpos"];
  const ofConsole = CONSOLE_ENDPOINTS.flatMap(({ method, path }) =>
    method === "GET" && path !== "/events" ? [`/console${path.replace(":id", "1")}`] : [],
  );
  for (const path of [...paths, ...ofConsole]) {
    expect([path, (await till.call("GET", path)).headers["cache-control"]]).toEqual([path, "no-store"]);
  }
  expect((await till.sell()).headers["cache-control"]).toBe("no-store");
  expect((await till.call("GET", "/api/v3/status")).headers["cache-control"]).toBeUndefined();
});

it("the console's page loads nothing from other hosts, and forbids it to the browser", async () => {
  const till = await openTill();
  const { headers, text } = await till.call("GET", "/");
  expect(headers["content-security-policy"]).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self' http://127.0.0.1:*; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  const script = /src="([^"]+)"/.exec(text)?.[1] ?? "";
  const code = await till.call("GET", script);
  expect([code.status, code.headers["cache-control"]]).toEqual([200, "public, max-age=31536000, immutable"]);
  expect((await till.call("GET", "/console/assets/../../package.json")).status).toBe(404);
  expect((await till.call("GET", "/console/assets/nothing.js")).status).toBe(404);
});

it("the console's examination is one for all who ask at a time, and reads no receipt in the thread that sells", async () => {
  const till = await openTill({ settings: { dataDir: temporaryFolder() } });
  await till.sell();
  const opened = vi.spyOn(StoreReading, "open");
  const answers = await Promise.all(Array.from({ length: 9 }, () => till.call("GET", "/console/doctor")));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  const store = answers[0]?.json<readonly CheckRecord[]>().find(({ subject }) => subject === "store");
  expect(store).toMatchObject({ verdict: "ok", message: expect.stringContaining("entries: 1,") });
  expect(opened).not.toHaveBeenCalled();
});

const tried = async (folder: string) => {
  const till = await openTill();
  return till.call("POST", "/console/backups/try", { headers: JSON_HEADERS, body: { folder } });
};

it.each([
  ["with a name that is too long", `/${"backup".repeat(100)}`],
  ["with a character that no path has", "/mnt/\u0000backup"],
])("a folder for backups that cannot exist is refused with the reason: %s", async (_what, folder) => {
  const answer = await tried(folder);
  expect(answer.status).toBe(400);
  expect(answer.json()).toMatchObject({ code: "2806", details: [] });
  expect(answer.json().message).toMatch(/^This is no path of a folder that can be read: .*(ENAMETOOLONG|null)/);
});

it("a folder for backups that is missing, no folder or good is answered with that, without a trace in it", async () => {
  const folder = temporaryFolder();
  expect((await tried(join(folder, "nowhere"))).json()).toMatchObject({ problem: "missing", sameDisk: false });
  expect((await tried("/etc/hostname/backups")).json()).toMatchObject({ problem: "missing" });
  expect((await tried("/etc/hostname")).json()).toMatchObject({ problem: "no-folder" });
  expect((await tried(folder)).json()).toMatchObject({
    problem: null,
    sameDisk: true,
    line: `backupFolder: ${folder}`,
  });
  expect(readdirSync(folder)).toEqual([]);
});
