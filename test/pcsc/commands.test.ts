/** The commands about cards, and the service as a shop starts it, with a published card. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { serveProcess, tillsealProcess } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { eventually } from "../support/pcsc.js";
import { TamperedCard } from "../support/pcsc-card.js";
import { publish, readersWith } from "../support/publish.js";
import { JSON_HEADERS, sale } from "../support/till.js";

const pcscd = pcscdForFile();

it("tillseal card, with a published card lists every reader and the card in it", async () => {
  await publish("--profile", "yjlqteqr");
  await readersWith("card");
  const { status, stdout } = await tillsealProcess(["card", "list"]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Virtual PCD 00 00: card YJLQTEQR of NAVIPARTNER\nVirtual PCD 00 01: empty\n$/);
});

it("tillseal card, with a published card removes and inserts the card on command, and ends on quit", async () => {
  const card = await publish();
  await readersWith("card");
  card.say("remove");
  await card.waitFor(/is out of the virtual reader/);
  await readersWith("empty");
  const listed = await tillsealProcess(["card", "list"]);
  expect([listed.status, listed.stderr]).toEqual([1, expect.stringContaining("there is no card in the card reader")]);
  card.say("insert");
  await card.waitFor(/is in the virtual reader/);
  await readersWith("card");
  card.say("quit");
  expect(await card.exited).toBe(0);
});

it("tillseal card, with a published card shows the card's identity and state", async () => {
  await publish();
  await readersWith("card");
  const { status, stdout } = await tillsealProcess(["card", "info", "--json"]);
  expect([status, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({
      reader: "Virtual PCD 00 00",
      uid: "TESTCARD",
      appletVersion: "3.1.1",
      tin: "100000001",
      validFrom: "2015-01-01T00:00:00.000Z",
      pinTriesLeft: 5,
      sum: "0.0000",
      limit: "10000000.0000",
    }),
  ]);
  const text = await tillsealProcess(["card", "info", "--reader", "00 00"]);
  expect(text.stdout).toMatch(/^uid +TESTCARD$/m);
  expect(text.stdout).toMatch(/^pinTriesLeft +5$/m);
});

it("a Remote Desktop session in which a card is found says whose readers it shows", async () => {
  await publish();
  await readersWith("card");
  for (const args of [
    ["card", "list"],
    ["card", "info"],
    ["doctor", "--data-dir", temporaryFolder()],
  ]) {
    const { stdout, stderr } = await tillsealProcess(args, { SESSIONNAME: "RDP-Tcp#7" });
    expect(stdout + stderr).toContain("shows the readers of the machine in front of you, not the till's");
  }
});

it("tillseal card, with a published card says what is missing when the reader has another name, and when there is no card", async () => {
  await publish();
  await readersWith("card");
  const other = await tillsealProcess(["card", "info", "--reader", "Acme"]);
  expect([other.status, other.stderr]).toEqual([
    1,
    expect.stringContaining('no card reader whose name contains "Acme"'),
  ]);
  const empty = await tillsealProcess(["card", "info", "--reader", "00 01", "--json"]);
  expect([empty.status, JSON.parse(empty.stdout)]).toEqual([1, expect.objectContaining({ missing: "no-card" })]);
});

it("tillseal card, with a published card says so and ends when a card hangs", async () => {
  const tampered = new TamperedCard(makeCard());
  const link = new VpcdLink(tampered);
  // The card of the previous test is still visible for a moment.
  await readersWith("empty");
  await link.insert();
  onTestFinished(() => link.remove());
  await readersWith("card");
  tampered.tamper = () => new Promise(() => {});
  const { status, stderr } = await tillsealProcess(["card", "info"]);
  expect(stderr).toMatch(/the card cannot be read: the card (has not answered in 10000 ms|still has not ended)/);
  expect(status).not.toBe(0);
});

it("tillseal serve --card pcsc lets no repeated wrong PIN lock the card, returns an invoice, needs the PIN again after another program selected the applet, and ends when it is stopped", async () => {
  await publish();
  await readersWith("card");
  const dataDir = join(temporaryFolder(), "data");
  const args = ["--card", "pcsc", "--data-dir", dataDir, "--environment", "specification"];
  const { url, process: service, exited, greeting } = await serveProcess(args);
  expect(greeting).toContain("card: reader Virtual PCD 00 00");
  const pin = async (body = "1234") => (await fetch(`${url}/api/v3/pin`, { method: "POST", body })).text();
  // More often than the card has attempts.
  for (let i = 0; i < 10; i++) expect(await pin("0000")).toBe("2100");
  expect(await pin()).toBe("0100");
  const sell = async () => {
    const body = JSON.stringify(sale());
    const answer = await fetch(`${url}/api/v3/invoices`, { method: "POST", headers: JSON_HEADERS, body });
    return (await answer.json()) as object;
  };
  expect(await sell()).toMatchObject({ totalCounter: 1, signedBy: "TESTCARD" });
  for (const command of ["info", "list"]) {
    const refused = await tillsealProcess(["card", command, "--data-dir", dataDir]);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`the service at ${url} uses the card`),
    ]);
  }
  expect(await sell()).toMatchObject({ totalCounter: 2 });
  // This command does not know the folder of the service.
  expect((await tillsealProcess(["card", "info"])).status).toBe(0);
  expect(await sell()).toMatchObject({ code: "1500" });
  expect(await pin()).toBe("0100");
  expect(await sell()).toMatchObject({ totalCounter: 3 });
  service.kill("SIGTERM");
  expect(await exited).toBe(0);
});

it("tillseal serve --card pcsc restarts with settings that the console has saved, and sells on with the same card and store", async () => {
  await publish();
  await readersWith("card");
  const dataDir = temporaryFolder();
  const environment = join(dataDir, "rates.yaml");
  copyFileSync(join(PACKAGE_ROOT, "fixtures", "environments", "specification.yaml"), environment);
  const record = join(dataDir, "day.yaml");
  const args = ["--card", "pcsc", "--data-dir", dataDir, "--environment", environment, "--record", record];
  const { url, process: service, exited } = await serveProcess(args);
  const settings = async () => {
    const answer = await fetch(`${url}/console/settings`).catch(() => undefined);
    return (await answer?.json()) as { waiting: string[]; failed: string | null } | undefined;
  };
  const sell = async () => {
    await fetch(`${url}/api/v3/pin`, { method: "POST", body: "1234" });
    const body = JSON.stringify(sale());
    const answer = await fetch(`${url}/api/v3/invoices`, { method: "POST", headers: JSON_HEADERS, body });
    return (await answer.json()) as object;
  };
  expect(await sell()).toMatchObject({ totalCounter: 1 });
  const changes = { languages: ["sr-Latn-RS"], testInvoice: true };
  const save = (body: object) =>
    fetch(`${url}/console/settings`, { method: "PUT", headers: JSON_HEADERS, body: JSON.stringify(body) });
  // With a real card, only a person with its PIN may change settings.
  const refused = await save(changes);
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: "1500" }]);
  expect(await settings()).toMatchObject({ waiting: [] });
  const saved = await save({ ...changes, pin: "1234" });
  expect(await saved.json()).toMatchObject({ waiting: ["languages", "testInvoice"] });
  // Two requests at once; the second may find that the service has already stopped listening.
  const restart = () =>
    fetch(`${url}/console/restart`, { method: "POST", headers: JSON_HEADERS, body: JSON.stringify({ pin: "1234" }) });
  await Promise.allSettled([1, 2].map(restart));
  await eventually(async () => (await settings())?.waiting.length === 0, "the settings are in force");
  expect(await sell()).toMatchObject({ totalCounter: 2, journal: expect.stringContaining("FISKALNI RAČUN") });
  expect(await (await fetch(`${url}/console/info`)).json()).toMatchObject({ card: "pcsc", controlPort: null });
  // Broken files are found before the running service is stopped.
  writeFileSync(environment, "parameters: {");
  await restart();
  await eventually(async () => (await settings())?.failed?.includes("rates.yaml") === true, "the restart has failed");
  expect(await sell()).toMatchObject({ totalCounter: 3 });
  // The recording from before the restart is still there.
  expect(readFileSync(record, "utf8")).toContain("path: /api/v3/invoices");
  expect(readFileSync(join(dataDir, "day-2.yaml"), "utf8")).toContain("path: /api/v3/invoices");
  service.kill("SIGTERM");
  expect(await exited).toBe(0);
});

it("tillseal serve --card pcsc records a day with a real card, which passes on an emulated one and holds no PIN", async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "card.yaml"),
    'uid: SHOPCARD\npin: "4711"\ntaxpayer: { tin: RS200 }\ncounters: { total: 41, NS: 40 }\n',
  );
  const card = await publish("--profile", join(folder, "card.yaml"));
  await readersWith("card");
  const file = join(folder, "day.yaml");
  const place = ["--card", "pcsc", "--data-dir", join(folder, "data")];
  const {
    url,
    process: service,
    exited,
  } = await serveProcess([...place, "--environment", "specification", "--record", file]);
  const call = async (path: string, body?: string) =>
    (
      await fetch(`${url}/api/v3${path}`, body === undefined ? {} : { method: "POST", headers: JSON_HEADERS, body })
    ).text();
  const cardIs = (code: string) => eventually(async () => (await call("/status")).includes(code), `status is ${code}`);
  expect(await call("/pin", "9999")).toBe('"2100"');
  expect(await call("/pin", '{"pin":"4711"}')).toBe('"0100"');
  expect(await call("/invoices", JSON.stringify(sale()))).toContain("SHOPCARD-SHOPCARD-42");
  card.say("remove");
  await cardIs("1300");
  expect(await call("/invoices", JSON.stringify(sale()))).toContain("1300");
  await readersWith("empty");
  // At human speed: pcscd polls every 400 ms and may miss a shorter absence of the card.
  await delay(1000);
  card.say("insert");
  await cardIs("1500");
  await call("/pin", '"4711"');
  expect(await call("/invoices", JSON.stringify(sale()))).toContain("SHOPCARD-SHOPCARD-43");
  service.kill("SIGTERM");
  expect(await exited).toBe(0);
  expect(readFileSync(file, "utf8")).not.toMatch(/4711|9999/);
  expect(await tillsealProcess(["scenario", "run", file])).toMatchObject({
    stdout: expect.stringContaining("1 passed"),
    status: 0,
  });
});

it("tillseal serve --card pcsc is not configured without an environment, asks no authority, and has no test invoices", async () => {
  await publish();
  await readersWith("card");
  const { url } = await serveProcess(["--card", "pcsc", "--data-dir", join(temporaryFolder(), "data")]);
  const status = await fetch(`${url}/api/v3/status`);
  // The first code is the card's.
  const { gsc, mssc } = (await status.json()) as { gsc: string[]; mssc: string[] };
  expect([gsc.slice(1), mssc]).toEqual([["2400"], ["9002"]]);
  const test = await fetch(`${url}/api/v3/test-invoice`, { method: "POST" });
  expect(await test.text()).toContain("2400");
});

it("without pcscd each command says that it is missing and how to install it", async () => {
  await pcscd.stop();
  for (const command of ["list", "info"]) {
    const { status, stderr } = await tillsealProcess(["card", command]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("apt-get install pcscd; systemctl start pcscd")]);
    const json = await tillsealProcess(["card", command, "--json"]);
    expect([json.status, JSON.parse(json.stdout)]).toEqual([1, expect.objectContaining({ missing: "no-service" })]);
  }
  const { greeting } = await serveProcess(["--card", "pcsc", "--data-dir", join(temporaryFolder(), "data")]);
  expect(greeting).toContain("the PC/SC service is not running");
  await pcscd.start();
});
