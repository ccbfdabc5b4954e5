/** No request makes the service end or keep others waiting (docs/security.md). */
import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { LIMITS } from "../../src/http/limits.js";
import { openControlled } from "../support/control.js";
import { dial, exchange, parseAnswer } from "../support/raw.js";
import { callService, JSON_HEADERS, openTill, sale } from "../support/till.js";

it("connections that follow the events of the console never cost a till its sale", async () => {
  const till = await openTill();
  const sockets: Socket[] = [];
  for (let i = 0; i < LIMITS.connections.value; i++) {
    const socket = await dial(till.url);
    sockets.push(socket.on("error", () => undefined).resume());
    socket.write("GET /console/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  const answers = await Promise.all(Array.from({ length: 24 }, () => till.sell().catch(String)));
  expect(answers.map((answer) => (typeof answer === "string" ? answer : answer.status))).toEqual(
    answers.map(() => 200),
  );
  expect(sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(LIMITS.streams.value);
});

it("a request has at most 16 KiB of headers", async () => {
  const { url } = await openTill();
  const answer = parseAnswer(await exchange(url, `GET /api/v3/attention HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`));
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
    400,
    { code: "2801", details: LIMITS.headerBytes.sentence },
  ]);
});

it("an invoice with 15,000 wrong labels reports the first 100 of them", async () => {
  const { world, control } = await openControlled();
  const labels = Array.from({ length: 15_000 }, (_, i) => `Q${i.toString(36)}`);
  const item = { name: "Tea", quantity: 1, unitPrice: 1, totalAmount: 1 };
  const answer = await callService(world.url, "POST", "/api/v3/invoices", {
    headers: JSON_HEADERS,
    body: sale({ items: [{ ...item, labels }] }),
  });
  const { modelState } = answer.json<{ modelState: object[] }>();
  expect([answer.status, modelState.length, modelState[99]]).toEqual([
    400,
    100,
    { property: "items[0].labels[99]", errors: ["2310"] },
  ]);
  expect(answer.text.length).toBeLessThan(50_000);
  expect((await control("GET", "/recording")).status).toBe(200);
});

const ITEM = { name: "Tea", quantity: 1, unitPrice: 1, totalAmount: 1, labels: ["A"] };
const field = (text: string) => JSON.stringify({ ...sale(), extra: 0 }).replace('"extra":0', `"extra":${text}`);

it.each([
  ["8,000 items", "2808", LIMITS.values.sentence, JSON.stringify(sale({ items: Array(8000).fill(ITEM) }))],
  [
    "40,000 options",
    "2808",
    LIMITS.values.sentence,
    field(`{${Array.from({ length: 40_000 }, (_, i) => `"o${i}":1`)}}`),
  ],
  ["lists in lists", "2808", LIMITS.values.sentence, field(`[${Array(400).fill(`[${Array(100).fill("1")}]`)}]`)],
  ["a text of 300,000 characters", "2801", LIMITS.jsonCharacters.sentence, field(JSON.stringify("x".repeat(300_000)))],
  ["a number of 300,000 digits", "2801", LIMITS.jsonCharacters.sentence, field("1".repeat(300_000))],
])("the JSON of a body is refused before it is parsed: %s", async (_, code, details, body) => {
  const till = await openTill();
  const answer = await till.call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body });
  expect([answer.status, answer.json()]).toMatchObject([400, { code, details }]);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
});

it("the JSON of a body counts commas between values, not those in texts", async () => {
  const till = await openTill();
  expect((await till.sell(sale({ items: [{ ...ITEM, name: "a,b,c,".repeat(300) }] }))).status).toBe(200);
  const commas = field(JSON.stringify(",".repeat(LIMITS.values.value)));
  expect((await till.call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: commas })).status).toBe(200);
});
