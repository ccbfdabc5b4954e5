/** Warnings before a sale is stopped: in status, in the console, in the doctor and in the log. */
import { pino } from "pino";
import { expect, it } from "vitest";
import type { TillRecord } from "../../src/console/records/till.js";
import { diskHealth } from "../../src/doctor/machine.js";
import { LOW_DISK_BYTES, NO_DISK_BYTES } from "../../src/state/rules.js";
import { openTill, sale, type Till, type TillOptions } from "../support/till.js";

const NOON = Date.UTC(2026, 10, 1, 12);
/** The emulated card is a test card. */
const TEST_CARD = "9002";

const status = async (till: Till) =>
  (await till.call("GET", "/api/v3/status")).json<{ mssc: string[]; gsc: string[] }>();
const record = async (till: Till) => (await till.call("GET", "/console/till")).json<TillRecord>();

function shop(options: TillOptions = {}): Promise<Till> {
  return openTill({ now: () => NOON, ...options, settings: { card: "pcsc", ...options.settings } });
}

it("a disk that is nearly full is 9012 in status and the console's verdict until there is room again", async () => {
  let free = LOW_DISK_BYTES - 1;
  let seconds = 0;
  const timer = { now: () => seconds * 1000, sleep: () => new Promise<void>(() => undefined) };
  const till = await shop({ freeBytes: async () => free, diskTimer: timer });
  expect(await status(till)).toMatchObject({ mssc: [TEST_CARD, "9012"], gsc: ["0100", "1999"] });
  expect((await record(till)).findings).toMatchObject([{ key: "testCard" }, { key: "diskLow", values: { free: 499 } }]);
  free = LOW_DISK_BYTES;
  seconds = 60;
  expect((await status(till)).mssc).toEqual([TEST_CARD]);
});

it("a disk that is nearly full is not reported with the emulator", async () => {
  const till = await openTill({ freeBytes: async () => 0 });
  expect((await status(till)).mssc).toEqual([TEST_CARD]);
});

it.each([
  [LOW_DISK_BYTES - 1, undefined],
  [NO_DISK_BYTES - 1, { fault: "full", folder: "/" }],
])("a disk that is nearly full with %i bytes stops sales for the doctor if it is full: %j", async (free, problem) => {
  expect(await (await diskHealth("/", async () => free)).problem()).toEqual(problem);
});

it("an early warning is logged once with the facts, and once more when it is over", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  const till = await shop({ log, profile: { limit: "100" }, freeBytes: async () => 1024 });
  const loggedCodes = () =>
    lines.filter(({ code, msg }) => code !== undefined && msg !== "request").map(({ code, msg }) => [code, msg]);
  await status(till);
  await status(till);
  const before = loggedCodes();
  expect(before).toEqual([
    ["9002", expect.stringContaining("This is a test card: its receipts are not valid.")],
    ["9012", expect.stringContaining("The disk is nearly full: 0 MiB are free.")],
  ]);
  await till.sell(sale({ items: [{ name: "Coffee", quantity: 1, unitPrice: 75, labels: ["A"], totalAmount: 75 }] }));
  await status(till);
  expect(loggedCodes().slice(before.length)).toEqual([["1400", expect.stringContaining("An audit is due.")]]);
  expect(lines.find(({ code }) => code === "9012")).toMatchObject({ finding: "diskLow", uid: "TESTCARD", free: 0 });
});
