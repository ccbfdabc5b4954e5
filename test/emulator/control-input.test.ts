/** What the control interface refuses, and its description. */
import { connect } from "node:net";
import { expect, it } from "vitest";
import { BEHAVIOUR_SETTINGS } from "../../emulator/world/given.js";
import { CONTROL_ENDPOINTS } from "../../harness/control/endpoints.js";
import { SETTINGS } from "../../src/config/settings.js";
import { openControlled } from "../support/control.js";
import { callService } from "../support/till.js";

const LENGTH = "a length of time such as 1h30m, 40s or 500ms, as text";

const latency = (duration: string | number) => ({ on: "sign", kind: "latency", duration });

const aimed = (on: string, where: object) => ({ faults: [{ on, kind: "latency", duration: "1s", where }] });

it.each<[method: string, path: string, body: string | object, detail: string]>([
  ["POST", "/do", {}, "the body must have at least 1 entry"],
  ["POST", "/do", "null", "the body must be object"],
  ["POST", "/do", "[]", "the body must be object"],
  ["POST", "/do", { crad: "remove" }, "crad is not known; did you mean card?"],
  ["POST", "/do", { card: "reset", clock: { ticking: true } }, "the body must have at most 1 entry"],
  [
    "POST",
    "/do",
    { card: "removee" },
    'card is "removee"; did you mean remove? It must be one of insert, remove, reset, unplug, plug',
  ],
  ["POST", "/do", { card: 1 }, "card must be object"],
  ["POST", "/do", { card: {} }, "card must have at least 1 entry"],
  ["POST", "/do", { card: { swop: "other" } }, "card.swop is not known; did you mean swap?"],
  ["POST", "/do", { card: { swap: { name: "main" } } }, "card.swap must be string"],
  ["POST", "/do", { card: { patch: {} } }, "card.patch must have at least 1 entry"],
  ["POST", "/do", { card: { patch: [] } }, "card.patch must be object"],
  ["POST", "/do", { card: { patch: { pin: "1234" } } }, "card.patch.pin is not known"],
  ["POST", "/do", { card: { patch: { pinTriesLeft: -1 } } }, "card.patch.pinTriesLeft must be >= 0"],
  ["POST", "/do", { card: { patch: { pinTriesLeft: "3" } } }, "card.patch.pinTriesLeft must be integer"],
  ["POST", "/do", { card: { patch: { sum: 100 } } }, 'card.patch.sum must be an amount as text, such as "1500.5"'],
  [
    "POST",
    "/do",
    { card: { patch: { limit: "1e9" } } },
    'card.patch.limit must be an amount as text, such as "1500.5"',
  ],
  ["POST", "/do", { card: { patch: { counters: { XX: 1 } } } }, "card.patch.counters.XX is not known"],
  ["POST", "/do", { card: { patch: { counters: { total: 2 ** 32 } } } }, "counters.total must be <= 4294967295"],
  ["POST", "/do", { service: "stop" }, "service must be one of restart, kill"],
  ["POST", "/do", { authority: "talks" }, "did you mean talk?"],
  [
    "POST",
    "/do",
    { authority: { faults: "clean" } },
    'authority.faults is "clean"; did you mean clear? It must be one of clear',
  ],
  ["POST", "/do", { authority: { command: { type: 1 } } }, "authority.command.payload is missing"],
  ["POST", "/do", { faults: "clean" }, 'faults is "clean"; did you mean clear? It must be one of clear'],
  ["POST", "/do", { faults: [{ on: "sign" }] }, "faults[0].kind is missing"],
  ["POST", "/do", { faults: [{ on: "sign", kind: "statusWord" }] }, "faults[0].statusWord is missing"],
  ["POST", "/do", { faults: [latency(40_000)] }, `faults[0].duration must be ${LENGTH}`],
  ["POST", "/do", { faults: [latency("-1s")] }, "faults[0].duration: must not be negative"],
  ["POST", "/do", aimed("storeIntent", {}), "faults[0].where: has no effect here: a commit may carry several sales"],
  ["POST", "/do", aimed("connect", {}), "faults[0].where: has no effect here: no single request connects the card"],
  ["POST", "/do", aimed("sign", { status: 200 }), "faults[0].where.status is not known"],
  ["POST", "/given", aimed("connect", {}), "faults[0].where: has no effect here: no single request connects the card"],
  ["POST", "/do", { vsdc: { gone: true } }, "vsdc.gone is not known"],
  ["DELETE", "/faults/first", "", "id must be a number of up to 15 digits"],
  ["POST", "/do", { clock: { at: "tomorrow" } }, "clock.at must be a time such as 2026-01-31T12:00:00Z"],
  ["POST", "/do", { clock: { advance: 3_600_000 } }, `clock.advance must be ${LENGTH}`],
  ["POST", "/reset", { now: true }, "now is not known"],
  ["POST", "/given", { card: { colour: "red" } }, "card.colour is not known"],
  ["POST", "/given", { settings: { port: 1 } }, "settings.port is not known"],
  ["POST", "/given", { settings: { dataDir: "/" } }, "settings.dataDir is not known"],
  ["POST", "/given", { settings: { backupFolder: "/" } }, "settings.backupFolder is not known"],
  ["PUT", "/snapshots/a%2Fb", "", "name must be 1 to 64 letters of ASCII, digits and the characters . _ -"],
  ["POST", "/snapshots/%20/restore", "", "name must be 1 to 64 letters of ASCII, digits and the characters . _ -"],
  ["GET", "/traffic?since=yesterday", "", "since must be a number of up to 15 digits"],
  ["GET", "/traffic?since=1&since=2", "", "since must be a number of up to 15 digits"],
  ["GET", "/traffic?after=1", "", "after is not known"],
])("bad input %s %s with %j is refused: %s", async (method, path, body, detail) => {
  const { control, saleCode } = await openControlled();
  const answer = await control(method, path, body);
  expect([answer.status, answer.json().details]).toEqual([400, [expect.stringContaining(detail)]]);
  expect(await saleCode()).toBe("");
});

it("bad input cannot name a file, folder or address: a given only sets names of the technician and the device freely", () => {
  const free = BEHAVIOUR_SETTINGS.filter((name) => {
    const { schema } = SETTINGS[name];
    return schema.type === "string" && !("enum" in schema) && name !== "pathSegment";
  });
  expect(free).toEqual(["technician", "deviceMake", "makerCodes", "deviceSerialNumber"]);
});

it("bad input is refused with 400 when it is not JSON, not UTF-8, too large, contradictory or badly escaped", async () => {
  const { control } = await openControlled();
  for (const [method, path, body] of [
    ["POST", "/do", "{"],
    ["POST", "/given", ""],
    ["POST", "/do", Uint8Array.of(0xff)],
    ["POST", "/given", `{"seed":"${"x".repeat(2_000_000)}"}`],
    ["POST", "/given", `{"environment":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`],
    ["POST", "/do", { card: { patch: { locked: true, pinTriesLeft: 3 } } }],
    ["POST", "/do", { card: { swap: "__proto__" } }],
    ["PUT", "/snapshots/%E0%A4%A", ""],
  ] as const) {
    expect((await control(method, path, body)).status, `${method} ${path}`).toBe(400);
  }
});

it("bad input gets 404 at an unknown path, and 405 with the allowed methods for an unknown method", async () => {
  const { control, controlUrl } = await openControlled();
  for (const path of ["", "/nothing", "/card/nothing", "/faults/1/2"]) {
    expect((await control("GET", path)).status, path).toBe(404);
  }
  expect((await callService(controlUrl, "GET", "/")).status).toBe(404);
  for (const path of new Set(CONTROL_ENDPOINTS.map((endpoint) => endpoint.path))) {
    const allowed = CONTROL_ENDPOINTS.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
    const answer = await control("OPTIONS", path.replace(/:\w+/, "1"));
    expect([answer.status, answer.headers.allow], path).toEqual([405, allowed.join(", ")]);
  }
});

it("bad input does not stop it when it is not HTTP", async () => {
  const { control, controlUrl } = await openControlled();
  await new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(controlUrl).port), "127.0.0.1", () => socket.end("\0\0\r\n\r\n"));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    socket.resume();
  });
  expect((await control("GET", "/card")).status).toBe(200);
});

it.each([{ Origin: "https://evil.test" }, { "Sec-Fetch-Site": "cross-site" }, { Host: "evil.test" }] as Record<
  string,
  string
>[])("web pages with %j reach nothing", async (headers) => {
  const { controlUrl, saleCode } = await openControlled();
  for (const { method, path } of CONTROL_ENDPOINTS) {
    const body = method.startsWith("P") ? { body: '{"card":"remove"}' } : {};
    const answer = await callService(controlUrl, method, `/control${path}`, { headers, ...body });
    const refusal = { message: expect.any(String), details: [] };
    expect([path, answer.status, answer.json()]).toEqual([path, 403, refusal]);
  }
  expect(await saleCode()).toBe("");
});

it("web pages of an allowed origin may use every method that there is", async () => {
  const guard = { allowedHosts: [], allowedOrigins: ["https://pos.example"] };
  const { controlUrl } = await openControlled({}, {}, guard);
  const headers = { Origin: "https://pos.example", "Sec-Fetch-Site": "cross-site" };
  const preflight = await callService(controlUrl, "OPTIONS", "/control/card", { headers });
  expect(preflight.headers["access-control-allow-methods"]).toBe("POST, GET, DELETE, PUT");
  expect((await callService(controlUrl, "GET", "/control/card", { headers })).status).toBe(200);
});

it("the control interface describes every endpoint in OpenAPI 3.1, with the schemas that validate requests", async () => {
  const { control } = await openControlled();
  const document = (await control("GET", "/openapi.json")).json<{
    openapi: string;
    paths: Record<string, Record<string, { operationId: string; requestBody?: object; parameters?: object[] }>>;
  }>();
  expect(document.openapi).toBe("3.1.0");
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    CONTROL_ENDPOINTS.map(({ name }) => name as string).sort(),
  );
  const fault = document.paths["/control/faults/{id}"]?.delete;
  expect(fault?.parameters).toEqual([
    { name: "id", in: "path", required: true, schema: expect.objectContaining({ pattern: "^\\d{1,15}$" }) },
  ]);
  expect(JSON.stringify(document.paths["/control/do"]?.post?.requestBody)).toContain("pinTriesLeft");
});
