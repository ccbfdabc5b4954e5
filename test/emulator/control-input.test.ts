/** What the control interface refuses, and its description. */
import { connect } from "node:net";
import { expect, it } from "vitest";
import { BEHAVIOUR_SETTINGS } from "../../emulator/world/given.js";
import { CONTROL_ENDPOINTS } from "../../harness/control/endpoints.js";
import { SETTINGS } from "../../src/config/settings.js";
import { openControlled } from "../support/control.js";
import { callService } from "../support/till.js";

const LENGTH = "a length of time such as 1h30m, 40s or 500ms, as text";

it.each<[method: string, path: string, body: string | object, detail: string]>([
  ["PATCH", "/card", {}, "the body must NOT have fewer than 1 properties"],
  ["PATCH", "/card", [], "the body must be object"],
  ["PATCH", "/card", { pin: "1234" }, "pin is not known"],
  ["PATCH", "/card", { pinTriesLeft: -1 }, "pinTriesLeft must be >= 0"],
  ["PATCH", "/card", { pinTriesLeft: "3" }, "pinTriesLeft must be integer"],
  ["PATCH", "/card", { sum: 100 }, 'sum must be an amount as text, such as "1500.5"'],
  ["PATCH", "/card", { limit: "1e9" }, 'limit must be an amount as text, such as "1500.5"'],
  ["PATCH", "/card", { counters: { XX: 1 } }, "counters.XX is not known"],
  ["PATCH", "/card", { counters: { total: 4294967296 } }, "counters.total must be <= 4294967295"],
  ["POST", "/card/insert", { uid: "TESTCARD" }, "uid is not known"],
  ["POST", "/card/swap", {}, "name is missing"],
  ["POST", "/card/remove", { name: "main" }, "name is not known"],
  ["POST", "/card/reset", "null", "the body must be object"],
  ["POST", "/card/audit", { sum: "0" }, "sum is not known"],
  ["POST", "/reader/unplug", "1", "the body must be object"],
  ["POST", "/reader/plug", "[]", "the body must be object"],
  ["POST", "/faults", { on: "sign" }, "kind is missing"],
  ["POST", "/faults", { on: "sign", kind: "statusWord" }, "statusWord is missing"],
  ["POST", "/faults", { on: "sign", kind: "latency", duration: 40_000 }, `duration must be ${LENGTH}`],
  ["POST", "/faults", { on: "sign", kind: "latency", duration: "-1s" }, "duration: must not be negative"],
  ["DELETE", "/faults/first", "", 'id must match pattern "^\\d{1,15}$"'],
  ["PATCH", "/clock", { at: "tomorrow" }, "at must be a time such as 2026-01-31T12:00:00Z"],
  ["PATCH", "/clock", { advance: 3_600_000 }, `advance must be ${LENGTH}`],
  ["POST", "/reset", { now: true }, "now is not known"],
  ["POST", "/given", { card: { colour: "red" } }, "card.colour is not known"],
  ["POST", "/given", { settings: { port: 1 } }, "settings.port is not known"],
  ["POST", "/given", { settings: { dataDir: "/" } }, "settings.dataDir is not known"],
  ["POST", "/given", { settings: { backupFolder: "/" } }, "settings.backupFolder is not known"],
  ["PUT", "/snapshots/a%2Fb", "", 'name must match pattern "^[A-Za-z0-9._-]{1,64}$"'],
  ["POST", "/snapshots/%20/restore", "", 'name must match pattern "^[A-Za-z0-9._-]{1,64}$"'],
  ["GET", "/traffic?since=yesterday", "", 'since must match pattern "^\\d{1,15}$"'],
  ["GET", "/traffic?since=1&since=2", "", "since must be string"],
  ["GET", "/traffic?after=1", "", "after is not known"],
])("bad input %s %s with %j is refused: %s", async (method, path, body, detail) => {
  const { control, saleCode } = await openControlled();
  const answer = await control(method, path, body);
  expect([answer.status, answer.json().details]).toEqual([400, [detail]]);
  expect(await saleCode()).toBe("");
});

it("bad input cannot name a file, folder or address: a given only sets names of the technician and the device freely", () => {
  const free = BEHAVIOUR_SETTINGS.filter((name) => {
    const { schema } = SETTINGS[name];
    return schema.type === "string" && !("enum" in schema) && name !== "pathSegment";
  });
  expect(free).toEqual(["technician", "deviceMake", "deviceModel", "makerCodes", "deviceSerialNumber"]);
});

it("bad input is refused with 400 when it is not JSON, not UTF-8, too large, contradictory or badly escaped", async () => {
  const { control } = await openControlled();
  for (const [method, path, body] of [
    ["POST", "/faults", "{"],
    ["POST", "/given", ""],
    ["POST", "/faults", Uint8Array.of(0xff)],
    ["POST", "/given", `{"seed":"${"x".repeat(2_000_000)}"}`],
    ["POST", "/given", `{"environment":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`],
    ["PATCH", "/card", { locked: true, pinTriesLeft: 3 }],
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
  const answer = await callService(controlUrl, "POST", "/control/card/remove", { headers });
  expect(answer.status).toBe(403);
  expect(answer.json()).toEqual({ message: expect.any(String), details: [] });
  expect(await saleCode()).toBe("");
});

it("web pages of an allowed origin may use every method that there is", async () => {
  const guard = { allowedHosts: [], allowedOrigins: ["https://pos.example"] };
  const { controlUrl } = await openControlled({}, {}, guard);
  const headers = { Origin: "https://pos.example", "Sec-Fetch-Site": "cross-site" };
  const preflight = await callService(controlUrl, "OPTIONS", "/control/card", { headers });
  expect(preflight.headers["access-control-allow-methods"]).toBe("GET, PATCH, POST, DELETE, PUT");
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
    { name: "id", in: "path", required: true, schema: { type: "string", pattern: "^\\d{1,15}$" } },
  ]);
  expect(JSON.stringify(document.paths["/control/card"]?.patch?.requestBody)).toContain("pinTriesLeft");
});
