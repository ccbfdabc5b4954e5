/** The doctor on a machine with a real PC/SC stack. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { VpcdLink } from "../../emulator/vpcd/vpcd-link.js";
import { openStore } from "../../src/ledger/database.js";
import type { Change } from "../../src/ledger/ledger.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { sntpTime } from "../../src/state/sntp.js";
import { tillsealProcess } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { pcscdForFile } from "../support/file-pcscd.js";
import { temporaryFolder } from "../support/folder.js";
import { eventually } from "../support/pcsc.js";
import { openTill } from "../support/till.js";

const pcscd = pcscdForFile();

type Findings = Record<string, string>;

/** Verdicts by subject, and the exit status. */
async function doctor(...args: string[]): Promise<{ status: number; verdicts: Findings; messages: Findings }> {
  const { status, stdout } = await tillsealProcess(["doctor", "--json", "--port", "0", ...args]);
  const { findings } = JSON.parse(stdout) as { findings: { subject: string; verdict: string; message: string }[] };
  return {
    status,
    verdicts: Object.fromEntries(findings.map(({ subject, verdict }) => [subject, verdict])),
    messages: Object.fromEntries(findings.map(({ subject, message }) => [subject, message])),
  };
}

async function insert(profile: Record<string, unknown> = {}): Promise<void> {
  const link = new VpcdLink(makeCard(profile));
  await link.insert();
  onTestFinished(async () => {
    await link.remove();
    await eventually(
      async () => !(await tillsealProcess(["card", "list"])).stdout.includes("card "),
      "the card is out",
    );
  });
  await eventually(async () => (await tillsealProcess(["card", "list"])).status === 0, "the card is in");
}

const configured = () => ["--environment", "specification", "--data-dir", join(temporaryFolder(), "data")];

const REPORT = { uid: "TESTCARD", from: 1, to: 1, at: 1, requestId: null };

async function commit(dataDir: string, change: Change): Promise<void> {
  const store = openStore(dataDir);
  await new SqliteLedger(store).commit([change]);
  store.close();
}

it("tillseal doctor ends with 0 when a shop can sell, with one line for each subject", async () => {
  await insert();
  const { status, verdicts } = await doctor(...configured());
  expect(verdicts).toEqual({
    "PC/SC": "ok",
    reader: "ok",
    card: "ok",
    // The emulated card is a test card, and the doctor checks shops.
    issuer: "warn",
    certificate: "ok",
    "PIN attempts": "ok",
    limit: "ok",
    "card and store": "ok",
    "tax rates": "ok",
    country: "ok",
    authority: "ok",
    "key's certificate": "ok",
    "key's PIN attempts": "ok",
    "key and Node": "ok",
    // The address of the fixture's time server does not exist.
    clock: "warn",
    port: "ok",
    "data folder": "ok",
    disk: "ok",
    store: "ok",
    program: "ok",
    "audit packages": "ok",
  });
  expect(status).toBe(0);
  const { stdout } = await tillsealProcess(["doctor", "--port", "0", ...configured()]);
  expect(stdout.trimEnd().split("\n")).toHaveLength(21);
  expect(stdout).toMatch(/^ok {4}card +TESTCARD of Tillseal Test d\.o\.o\./m);
  expect(stdout).toMatch(
    /^warn {2}issuer +tillseal test issuing CA\. This is a test card: its receipts are not valid/m,
  );
});

it.each<[what: string, profile: Record<string, unknown>, subject: string, verdict: string, message: RegExp]>([
  ["a locked card", { pinTriesLeft: 0 }, "card", "fail", /locked/],
  ["one try left", { pinTriesLeft: 1 }, "PIN attempts", "warn", /one more wrong PIN/],
  ["a certificate of the future", { validFrom: "2048-01-01T00:00:00Z" }, "certificate", "fail", /but the clock says/],
  ["an unknown newer applet", { appletVersion: "9.0.0" }, "card", "fail", /9\.0\.0 is not known/],
])("tillseal doctor finds %s", async (_what, profile, subject, verdict, message) => {
  await insert(profile);
  const { status, verdicts, messages } = await doctor(...configured());
  expect([verdicts[subject], messages[subject]]).toEqual([verdict, expect.stringMatching(message)]);
  expect(status).toBe(verdict === "fail" ? 1 : 0);
});

it("tillseal doctor reports that the card has signed more than the store has, until a person confirms it", async () => {
  await insert({ sum: "150", limit: "1000" });
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  await till.sell();
  await till.stop();
  const where = [...configured(), "--data-dir", dataDir];
  const behind = await doctor(...where);
  expect([behind.status, behind.verdicts["card and store"], behind.messages["card and store"]]).toEqual([
    0,
    "warn",
    expect.stringContaining("the card has signed 150 since its last audit, but the store has only 100"),
  ]);
  await commit(dataDir, { kind: "report", report: { ...REPORT, kind: "behind" } });
  await commit(dataDir, { kind: "confirm", id: 1, at: 1 });
  expect((await doctor(...where)).messages["card and store"]).toContain("elsewhere, as confirmed");
});

it("tillseal doctor reports a missing card, reader or rates", async () => {
  const empty = await doctor("--data-dir", temporaryFolder());
  expect([empty.status, empty.verdicts]).toEqual([
    1,
    expect.objectContaining({ "PC/SC": "ok", reader: "ok", card: "fail", "tax rates": "fail" }),
  ]);
  const other = await doctor("--reader", "Acme", ...configured());
  expect([other.status, other.messages.reader]).toEqual([1, expect.stringContaining('contains "Acme"')]);
});

it("tillseal doctor distinguishes another program on the port", async () => {
  await insert();
  const stranger = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const taken = await doctor(...configured(), "--port", String(port));
  expect([taken.status, taken.messages.port]).toEqual([1, expect.stringContaining("another program")]);
});

it("tillseal doctor reports that pcscd does not run", async () => {
  await pcscd.stop();
  onTestFinished(() => pcscd.start());
  const { status, messages } = await doctor(...configured());
  expect([status, messages["PC/SC"]]).toEqual([1, expect.stringContaining("systemctl start pcscd")]);
});

it("SNTP reads the time of a server, and fails on a server that speaks another protocol", async () => {
  const { createSocket } = await import("node:dgram");
  const answers = [ntpPacket(Date.UTC(2026, 0, 1, 12, 0, 0, 500)), Buffer.from("hello")];
  const server = createSocket("udp4");
  onTestFinished(() => void server.close());
  server.on("message", (_request, { address, port }) => server.send(answers.shift() ?? Buffer.alloc(0), port, address));
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", () => resolve()));
  const { port } = server.address();
  expect(await sntpTime("127.0.0.1", port)).toBe(Date.UTC(2026, 0, 1, 12, 0, 0, 500));
  await expect(sntpTime("127.0.0.1", port)).rejects.toThrow("does not speak NTP");
});

function ntpPacket(ms: number): Buffer {
  const packet = Buffer.alloc(48);
  packet.writeUInt32BE(Math.floor(ms / 1000) + 2_208_988_800, 40);
  packet.writeUInt32BE(((ms % 1000) / 1000) * 2 ** 32, 44);
  return packet;
}
