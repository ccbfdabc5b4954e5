/** The limits of the emulator are enforced and reported (docs/control.md, "Limits"). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { World } from "../../emulator/world/world.js";
import { type Snapshot, WorldSnapshots } from "../../emulator/world/world-snapshots.js";
import { CONTROL_LIMITS } from "../../harness/control/limits.js";
import { Recording } from "../../harness/control/recording.js";
import { type ControlledTill, openControlled } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { dial } from "../support/raw.js";
import { type Answer, callService, JSON_HEADERS } from "../support/till.js";

const MIB = 1024 * 1024;
const refusal = (answer: Answer) => [answer.status, answer.json()];

function post({ world }: ControlledTill, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  return callService(world.url, "POST", "/api/v3/invoices", { headers: { ...JSON_HEADERS, ...headers }, body });
}

const ids = (answer: Answer) => answer.json<{ id: number }[]>().map(({ id }) => id);

it("the traffic log is read in answers of at most 4 Mi characters, from the newest to the oldest", async () => {
  const till = await openControlled();
  // Characters that JSON escapes with six.
  for (let i = 0; i < 12; i++) await post(till, "\u0001".repeat(MIB / 8));
  const read: number[] = [];
  for (let before = ""; ; before = `&before=${read[0]}`) {
    const page = await till.control("GET", `/traffic?last=1000${before}`);
    if (ids(page).length === 0) break;
    expect(page.text.length).toBeLessThan(CONTROL_LIMITS.logAnswer.value * 1.1);
    read.unshift(...ids(page));
  }
  expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(ids(await till.control("GET", "/traffic")).at(-1)).toBe(12);
  expect(ids(await till.control("GET", "/traffic?since=3&before=7&last=2"))).toEqual([5, 6]);
});

it("the traffic log keeps the newest 100 requests that the guard refused, without dropping a POS's requests", async () => {
  const till = await openControlled();
  await till.sell("order-1");
  for (let i = 0; i < 150; i++)
    await callService(till.world.url, "GET", "/api/v3/status", { headers: { Origin: "https://evil.test" } });
  const entries = (await till.control("GET", "/traffic")).json<{ status: number }[]>();
  expect([entries[0]?.status, entries.length]).toEqual([200, 101]);
});

it("the recording in memory leaves out what the guard refused, because web pages could fill it", async () => {
  const till = await openControlled();
  await till.sell("order-1");
  for (let i = 0; i < 1010; i++)
    await callService(till.world.url, "GET", "/api/v3/status", { headers: { "Sec-Purpose": "prefetch" } });
  const { scenario } = (await till.control("GET", "/recording")).json<{ scenario: string }>();
  expect(scenario.match(/- request:/g)).toHaveLength(1);
});

it("the recording in memory leaves out a request that broke off in its body", async () => {
  const till = await openControlled();
  const socket = await dial(till.world.url);
  socket.write("POST /api/v3/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  await expect.poll(() => till.world.traffic.entries.length).toBe(1);
  socket.destroy();
  await expect
    .poll(() => till.world.traffic.entries[0]?.answer)
    .toContain("The connection broke off in the middle of the body");
  await till.sell("order-1");
  const { scenario } = (await till.control("GET", "/recording")).json<{ scenario: string }>();
  expect(scenario.match(/- request:/g)).toHaveLength(1);
  expect(till.world.traffic.entries[0]?.status).toBe(0);
});

it("the recording in memory is written while other requests are served, once for all who ask", async () => {
  const till = await openControlled();
  const items = Array.from({ length: 500 }, (_, i) => ({ name: `Item ${i}`, quantity: 1 }));
  for (let i = 0; i < 150; i++) await post(till, JSON.stringify({ items }));
  const order: string[] = [];
  const recordings = Array.from({ length: 5 }, async () => {
    const answer = await till.control("GET", "/recording");
    order.push("recording");
    return answer.json<{ scenario: string }>().scenario;
  });
  await callService(till.world.url, "GET", "/api/v3/attention").then(() => order.push("attention"));
  const texts = new Set(await Promise.all(recordings));
  expect(order[0]).toBe("attention");
  expect([texts.size, [...texts][0]?.match(/- request:/g)?.length]).toEqual([1, 151]);
});

it.each([
  ["a body of 700 levels", `{"cashier":${"[".repeat(700)}${"]".repeat(700)}}`],
  ["a body of 31 levels", `{"cashier":${"[".repeat(30)}${"]".repeat(30)}}`],
  [
    "a body of 900 KiB",
    JSON.stringify({ items: Array.from({ length: 19_000 }, (_, i) => ({ name: `Item number ${i}`, quantity: 1 })) }),
  ],
  ["a body over 1 MiB", JSON.stringify({ cashier: "x".repeat(MIB) })],
])("the recording in memory goes on after %s", async (_what, body) => {
  const till = await openControlled();
  await post(till, body);
  await till.sell("order-1");
  const answer = await till.control("GET", "/recording");
  expect(answer.status).toBe(200);
  expect(answer.json<{ scenario: string }>().scenario.match(/- request:/g)).toHaveLength(2);
});

it("the recording in a file ends at 64 MiB and says so once", () => {
  const file = join(temporaryFolder(), "session.yaml");
  const reasons: string[] = [];
  const recording = new Recording(
    file,
    () => ({}),
    (reason) => reasons.push(reason),
  );
  const step = { request: { method: "POST", path: "/", headers: {}, text: "x".repeat(10 * MIB) } };
  for (let i = 0; i < 8; i++) recording.steps([step]);
  expect(reasons).toEqual([CONTROL_LIMITS.recordingFile.sentence]);
  expect(readFileSync(file).length).toBeLessThan(CONTROL_LIMITS.recordingFile.value);
});

it("the control interface accepts 100 faults, and more after some are removed", async () => {
  const { control } = await openControlled();
  const fault = { on: "sign", nth: 100, kind: "noAnswer" };
  for (let i = 0; i < 100; i++) expect((await control("POST", "/do", { faults: [fault] })).status).toBe(200);
  const { sentence: message } = CONTROL_LIMITS.faults;
  expect(refusal(await control("POST", "/do", { faults: [fault] }))).toEqual([400, { message, details: [] }]);
  expect((await control("GET", "/faults")).json()).toHaveLength(100);
  await control("POST", "/do", { faults: "clear" });
  expect((await control("POST", "/do", { faults: [fault] })).status).toBe(200);
  const faults = Array.from({ length: 101 }, () => fault);
  expect((await control("POST", "/given", { faults })).status).toBe(400);
});

it("the control interface accepts 20 snapshots, and another one under an existing name", async () => {
  const { control, sell } = await openControlled();
  for (let i = 0; i < 20; i++) expect((await control("PUT", `/snapshots/${i}`)).status).toBe(204);
  const { sentence: message } = CONTROL_LIMITS.snapshots;
  expect(refusal(await control("PUT", "/snapshots/20"))).toEqual([400, { message, details: [] }]);
  expect((await control("PUT", "/snapshots/19")).status).toBe(204);
  expect((await control("GET", "/snapshots")).json()).toHaveLength(20);
  expect(await sell()).toMatchObject({ totalCounter: 1 });
});

it("the control interface holds stores of at most 256 MiB in all snapshots", () => {
  const snapshots = new WorldSnapshots({} as World);
  const snapshot = (mib: number) => ({ store: Buffer.alloc(mib * MIB) }) as unknown as Snapshot;
  snapshots.keep("a", snapshot(200));
  snapshots.keep("a", snapshot(200));
  expect(() => snapshots.keep("b", snapshot(100))).toThrow(CONTROL_LIMITS.snapshotBytes.sentence);
  expect(snapshots.names).toEqual(["a"]);
});

it("the control interface refuses 17 other cards and 33 levels of nesting, and names 100 wrong fields", async () => {
  const { control, saleCode } = await openControlled();
  const otherCards = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`card${i}`, { uid: `CARD${1000 + i}` }]));
  const { details } = (await control("POST", "/given", { otherCards })).json();
  expect(details).toEqual([CONTROL_LIMITS.cards.sentence]);
  const deep = `{"environment":{"parameters":${"[".repeat(700)}${"]".repeat(700)}}}`;
  expect(refusal(await control("POST", "/given", deep))).toEqual([
    400,
    { message: CONTROL_LIMITS.depth.sentence, details: [] },
  ]);
  const wrong = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`wrong${i}`, i]));
  expect((await control("POST", "/given", wrong)).json().details).toHaveLength(100);
  expect(await saleCode()).toBe("");
  expect((await control("GET", "/recording")).status).toBe(200);
});
