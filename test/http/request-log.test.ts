/** The log's line for a request answers a technician's questions and contains no secrets. */
import { pino } from "pino";
import { expect, it, vi } from "vitest";
import { exchange } from "../support/raw.js";
import { JSON_HEADERS, openTill, sale, type TillOptions } from "../support/till.js";

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly path?: string;
  readonly [name: string]: unknown;
}

async function loggedTill(level: string, options: TillOptions = {}) {
  const text: string[] = [];
  const log = pino(
    { level, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => void text.push(line) },
  );
  const till = await openTill({ ...options, log });
  const lines = () => text.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === "request");
  /** The line of the last request, which is written after the answer is sent. */
  const last = async (count: number) => {
    await vi.waitFor(() => expect(lines()).toHaveLength(count));
    return lines().at(-1);
  };
  return { till, text, lines, last };
}

it("the log of requests has time, RequestId, code, number, card time and total time of a sale on both paths through the server", async () => {
  const { till, last } = await loggedTill("info");
  const answer = (await till.sell(sale(), { RequestId: "order-1" })).json<{ invoiceNumber: string }>();
  const sold = {
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    method: "POST",
    path: "/api/v3/invoices",
    status: 200,
    requestId: "order-1",
    code: "0000",
    number: answer.invoiceNumber,
  };
  const line = await last(2);
  expect(line).toMatchObject(sold);
  expect(line?.cardMs).toBeGreaterThan(0);
  expect(line?.ms).toBeGreaterThanOrEqual(Number(line?.cardMs));
  await till.call("POST", "/API/v3/invoices", { headers: { ...JSON_HEADERS, RequestId: "order-1" }, body: sale() });
  expect(await last(3)).toMatchObject({ ...sold, path: "/API/v3/invoices", replayed: true, cardMs: 0 });
});

it("the log of requests has the code of each refusal and of each PIN", async () => {
  const { till, last } = await loggedTill("info", { pinVerified: false });
  await till.sell();
  expect(await last(1)).toMatchObject({ path: "/api/v3/invoices", status: 401, code: "1500" });
  await till.pin("9876");
  expect(await last(2)).toMatchObject({ path: "/api/v3/pin", status: 200, code: "2100" });
  await till.call("GET", "/nowhere");
  expect(await last(3)).toMatchObject({ path: "/nowhere", status: 404, code: "2805" });
  await exchange(till.url, "no request\r\n\r\n");
  expect(await last(4)).toMatchObject({ status: 400, code: "2806" });
});

it("the log of requests has no body, no PIN anywhere, and no raw control characters", async () => {
  const { till, text, last } = await loggedTill("debug");
  await till.sell(sale({ cashier: "Cashier-7391" }));
  await till.call("GET", "/api/v3/pin/7391?pin=7391", { headers: { RequestId: "7391" } });
  await till.pin("7391");
  await till.sell(sale(), { RequestId: "a\u009b31m\tb" });
  expect(await last(5)).toMatchObject({ requestId: expect.stringMatching(/\\u009b31m\\u0009b$/), code: "1500" });
  expect(text.join("")).not.toContain("7391");
  expect(text.join("")).not.toContain("verificationUrl");
  expect(text.join("")).not.toMatch(/[^\P{Cc}\n]/u);
});

it("the log of requests logs the console's own requests only at `debug`, and nothing below `info`", async () => {
  const { till, lines, last } = await loggedTill("info");
  await till.call("GET", "/console/till");
  await till.call("GET", "/api/v3/attention");
  expect(await last(2)).toMatchObject({ path: "/api/v3/attention" });
  const quiet = await loggedTill("warn");
  await quiet.till.sell();
  expect(quiet.text).toEqual([]);
  expect(lines().filter(({ path }) => path === "/console/till")).toEqual([]);
  const all = await loggedTill("debug");
  await all.till.call("GET", "/console/till");
  expect(await all.last(2)).toMatchObject({ path: "/console/till", level: 20 });
});
