/** The control interface as a POS sees it: clock, world, service and traffic. Tests of the card are in control-card.test.ts. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CONTROL_ENDPOINTS } from "../../emulator/control/endpoints.js";
import { BEHAVIOUR_SETTINGS } from "../../emulator/world/given.js";
import { systemClock } from "../../src/clock.js";
import { SETTINGS } from "../../src/config/settings.js";
import { openControlled } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { callService } from "../support/till.js";

const OTHER_CARDS = { other: { uid: "OTHERONE", taxpayer: { tin: "RS2" } } };
const VERIFIED = { pinVerified: true };
const LENGTH = "a length of time such as 1h30m, 40s or 500ms, as text";

describe("the clock", () => {
  it("is set, moved and frozen, and receipts carry its time", async () => {
    const { control, sell } = await openControlled();
    const at = "2026-03-01T10:00:00.000Z";
    expect((await control("PATCH", "/clock", { at, ticking: false })).json()).toEqual({ at, ticking: false });
    expect(await sell()).toMatchObject({ sdcDateTime: at });
    await control("PATCH", "/clock", { advance: "-1h" });
    expect(await sell()).toMatchObject({ sdcDateTime: "2026-03-01T09:00:00.000Z" });
    expect((await control("PATCH", "/clock", { ticking: true })).json()).toMatchObject({ ticking: true });
    expect((await control("GET", "/clock")).json().at).toMatch(/^2026-03-01T09:/);
  });

  it("stops at the exact time that it was set to, however long the call takes", async () => {
    const { control } = await openControlled();
    let ms = Date.now();
    const system = vi.spyOn(systemClock, "now").mockImplementation(() => ++ms);
    onTestFinished(() => system.mockRestore());
    const at = "2026-03-01T10:00:00.000Z";
    expect((await control("PATCH", "/clock", { at, ticking: false })).json()).toEqual({ at, ticking: false });
  });

  it.each([{ advance: "-2932897d" }, { at: "1969-12-31T23:59:59Z" }, { at: "9999-12-31T23:59:59Z", advance: "1s" }])(
    "stays within the times that a card can sign: %j",
    async (patch) => {
      const { control, saleCode } = await openControlled();
      expect((await control("PATCH", "/clock", patch)).status).toBe(400);
      expect(await saleCode()).toBe("");
    },
  );

  it.each(["999999999d", "-999999999d"])("jumps by %s without a failure for the POS", async (duration) => {
    const { control, saleCode, status } = await openControlled({
      card: VERIFIED,
      faults: [{ on: "sign", kind: "clockJump", duration }],
    });
    await saleCode();
    expect((await status()).gsc).toContain("0100");
    expect(await saleCode()).toMatch(/^(2400|2809)$/);
    expect((await control("GET", "/clock")).status).toBe(200);
  });
});

describe("the world", () => {
  it("is reset to its start", async () => {
    const { control, sell, saleCode } = await openControlled();
    await sell("order-1");
    await control("POST", "/card/remove");
    await control("POST", "/faults", { on: "sign", kind: "removedBefore" });
    await control("PATCH", "/clock", { at: "2030-01-01T00:00:00Z" });
    await control("POST", "/reset");
    expect((await control("GET", "/faults")).json()).toEqual([]);
    expect((await control("GET", "/traffic")).json()).toEqual([]);
    expect((await control("GET", "/clock")).json().at).not.toMatch(/^2030/);
    expect(await sell("order-1")).toMatchObject({ totalCounter: 1 });
    expect(await saleCode()).toBe("");
  });

  it("is restored from a snapshot with card, PIN session, clock and counts of faults", async () => {
    const { control, sell, saleCode, world } = await openControlled({ card: VERIFIED, otherCards: OTHER_CARDS });
    const { url } = world;
    const first = await sell("order-1");
    await control("PATCH", "/card", { pinTriesLeft: 3 });
    await control("PATCH", "/clock", { at: "2026-03-01T10:00:00Z", ticking: false });
    await control("POST", "/faults", { on: "connect", kind: "readerLost" });
    await control("POST", "/faults", { on: "sign", nth: 2, kind: "statusWord", statusWord: "6305" });
    expect(await saleCode()).toBe("");
    await control("PUT", "/snapshots/before-the-limit");
    expect((await control("GET", "/snapshots")).json()).toEqual(["before-the-limit"]);
    expect(await saleCode()).toBe("2210");
    await control("POST", "/given", { card: { uid: "THIRDONE" } });
    expect(await saleCode()).toBe("1500");
    await control("POST", "/snapshots/before-the-limit/restore");
    expect((await control("GET", "/card")).json()).toMatchObject({ pinTriesLeft: 3, counters: { total: 2 } });
    expect(world.url).toBe(url);
    expect(await sell("order-1")).toEqual(first);
    expect(await saleCode()).toBe("2210");
    expect(await sell()).toMatchObject({ totalCounter: 3, sdcDateTime: "2026-03-01T10:00:00.000Z" });
    expect((await control("POST", "/snapshots/never/restore")).status).toBe(404);
  });

  it("remembers a removed card and an unplugged reader", async () => {
    const { control } = await openControlled();
    await control("POST", "/reader/unplug");
    await control("PUT", "/snapshots/unplugged");
    await control("POST", "/reader/plug");
    await control("POST", "/card/remove");
    await control("PUT", "/snapshots/out");
    await control("POST", "/snapshots/unplugged/restore");
    expect((await control("GET", "/card")).json()).toMatchObject({ reader: "unplugged", inserted: true });
    await control("POST", "/snapshots/out/restore");
    expect((await control("GET", "/card")).json()).toMatchObject({ reader: "plugged", inserted: false });
  });

  it("starts from another scenario's given, and resets to that", async () => {
    const { control, saleCode, sell, pin } = await openControlled();
    const given = {
      card: { pinVerified: true, limit: "50", counters: { total: 7 } },
      clock: { at: "2026-03-01T10:00:00Z", ticking: false },
      faults: [{ on: "sign", nth: 1, kind: "statusWord", statusWord: "6305" }],
    };
    for (const restart of [() => control("POST", "/given", given), () => control("POST", "/reset")]) {
      await restart();
      expect(await saleCode()).toBe("2210");
      expect(await sell()).toMatchObject({ totalCounter: 8 });
    }
    await control("POST", "/given", { environment: "none", settings: { pinFailureStatus: 423 } });
    expect(await pin()).toBe("0100");
    expect(await saleCode()).toBe("2400");
  });

  it("stays unchanged when a given is impossible", async () => {
    const { control, saleCode } = await openControlled();
    for (const given of [
      { environment: "atlantis" },
      { environment: "../secrets" },
      { environment: { parameters: {} } },
      { card: { key: "/nowhere/key.pem" } },
      { card: { key: "/dev/zero" } },
      { card: { key: join(import.meta.dirname, "control.test.ts") } },
      { otherCards: { other: { validFrom: "yesterday" } } },
    ]) {
      expect((await control("POST", "/given", given)).status, JSON.stringify(given)).toBe(400);
    }
    expect(await saleCode()).toBe("");
  });

  it("handles simultaneous resets and restores one after the other", async () => {
    const { control, sell } = await openControlled();
    const answers = await Promise.all([
      control("POST", "/reset"),
      control("PUT", "/snapshots/one"),
      control("POST", "/given", { card: { pinVerified: true } }),
      control("POST", "/reset"),
      control("PUT", "/snapshots/two"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    expect(await sell()).toMatchObject({ totalCounter: 1 });
  });

  it("empties its store at a reset, and leaves other files in the data folder", async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, "notes.txt"), "mine");
    const { control, sell, world } = await openControlled({ card: VERIFIED }, { dataDir });
    await sell("order-1");
    await control("PUT", "/snapshots/one");
    await control("POST", "/reset");
    expect(await sell("order-2")).toMatchObject({ totalCounter: 1 });
    await control("POST", "/snapshots/one/restore");
    expect(await sell("order-2")).toMatchObject({ totalCounter: 2 });
    await world.close();
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(["card", "notes.txt", "tillseal.db"]));
  });

  it("never erases a store that was not written by an emulated card", async () => {
    const dataDir = join(temporaryFolder(), "shop");
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, "tillseal.db"), "");
    const { control } = await openControlled({ card: VERIFIED }, { dataDir });
    for (const [path, body] of [["/reset"], ["/given", {}]] as const) {
      const answer = await control("POST", path, body);
      expect([answer.status, answer.json().message]).toEqual([400, expect.stringContaining("nothing is erased")]);
    }
  });
});

describe("the service", () => {
  it.each(["restart", "kill"])("is back after a %s, on the same store, without its PIN session", async (how) => {
    const { control, sell, saleCode, pin } = await openControlled();
    await sell("order-1");
    expect((await control("POST", `/service/${how}`)).status).toBe(204);
    expect((await control("GET", "/store")).json()).toEqual({ complete: 1, open: 0, lost: 0, keptIn: null });
    expect(await saleCode()).toBe("1500");
    await pin();
    expect(await sell("order-1")).toMatchObject({ totalCounter: 1 });
  });
});

describe("the traffic log", () => {
  it("lists each request with the APDUs that it caused, from an id on, until it is cleared", async () => {
    const { control, pin, sell } = await openControlled({});
    await pin();
    await sell();
    const entries = (await control("GET", "/traffic")).json<{ id: number; apdus: object[] }[]>();
    expect(entries).toMatchObject([
      {
        path: "/api/v3/pin",
        status: 200,
        answer: "0100",
        apdus: [{ operation: "verifyPin" }, { operation: "lastSigned" }],
      },
      { path: "/api/v3/invoices", status: 200, apdus: [{ operation: "sign" }] },
    ]);
    const since = (await control("GET", `/traffic?since=${entries[0]?.id}`)).json();
    expect(since).toMatchObject([{ path: "/api/v3/invoices" }]);
    await control("DELETE", "/traffic");
    expect((await control("GET", "/traffic")).json()).toEqual([]);
  });

  it("drops its oldest entries before bodies fill the memory", async () => {
    const { world } = await openControlled();
    const body = "x".repeat(1024 * 1024);
    for (let i = 0; i < 70; i++) await callService(world.url, "POST", "/api/v3/invoices", { body });
    const { entries } = world.traffic;
    expect(entries.at(-1)?.id).toBe(70);
    expect(entries.length).toBeGreaterThan(50);
    expect(entries.length).toBeLessThan(65);
  });

  it("never contains a PIN, however it was sent", async () => {
    const { control, pin } = await openControlled({ card: { pin: "4711" } });
    for (const body of ["4711", '"4711"', '{"pin":"4711"}', '{"pin":4711', '{"pin" 4711}', "x4711", "4711 "]) {
      await pin(body);
    }
    expect((await control("GET", "/traffic")).json()).toHaveLength(7);
    expect((await control("GET", "/traffic")).text).not.toMatch(/4711|04070101/);
    expect((await control("GET", "/card")).text).not.toContain("4711");
  });
});

describe("bad input", () => {
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
    ["POST", "/card/swap", { name: "__proto__" }, "the cards are main"],
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
  ])("%s %s with %j is refused: %s", async (method, path, body, detail) => {
    const { control, saleCode } = await openControlled();
    const answer = await control(method, path, body);
    expect([answer.status, answer.json().details]).toEqual([400, [detail]]);
    expect(await saleCode()).toBe("");
  });

  it.each([
    [
      "POST",
      "/card/insert",
      { name: "other" },
      "name is not taken here any more: POST /control/card/swap puts a card in by its name",
    ],
    [
      "POST",
      "/faults",
      { on: "sign", kind: "latency", ms: 5 },
      "ms is called duration now, a text such as 40s or 500ms",
    ],
    [
      "POST",
      "/given",
      { faults: [{ on: "sign", kind: "latency", ms: 5 }] },
      "faults[0].ms is called duration now, a text such as 40s or 500ms",
    ],
    [
      "POST",
      "/service/restart",
      { how: "killed" },
      "how is not taken any more: POST /control/service/restart ends it as SIGTERM does, POST /control/service/kill as SIGKILL",
    ],
  ])("%s %s with the old %j names the new field", async (method, path, body, detail) => {
    const { control } = await openControlled();
    const answer = await control(method, path, body);
    expect([answer.status, answer.json().details]).toEqual([400, [detail]]);
  });

  it.each(["GET", "DELETE"])("%s /journal names its new path, traffic", async (method) => {
    const { control } = await openControlled();
    const answer = await control(method, "/journal?since=1");
    expect([answer.status, answer.json().message]).toEqual([404, "/control/journal is called /control/traffic now"]);
  });

  it("cannot name a file, folder or address: a given only sets the name of the device freely", () => {
    const free = BEHAVIOUR_SETTINGS.filter((name) => {
      const { schema } = SETTINGS[name];
      return schema.type === "string" && !("enum" in schema) && name !== "pathSegment";
    });
    expect(free).toEqual(["deviceMake", "deviceModel", "deviceSerialNumber"]);
  });

  it("is refused with 400 when it is not JSON, not UTF-8, too large, contradictory or badly escaped", async () => {
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

  it("gets 404 at an unknown path, and 405 with the allowed methods for an unknown method", async () => {
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

  it("does not stop it when it is not HTTP", async () => {
    const { control, controlUrl } = await openControlled();
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(controlUrl).port), "127.0.0.1", () => socket.end("\0\0\r\n\r\n"));
      socket.on("error", () => undefined);
      socket.on("close", () => resolve());
      socket.resume();
    });
    expect((await control("GET", "/card")).status).toBe(200);
  });
});

describe("web pages", () => {
  it.each([{ Origin: "https://evil.test" }, { "Sec-Fetch-Site": "cross-site" }, { Host: "evil.test" }] as Record<
    string,
    string
  >[])("with %j reach nothing", async (headers) => {
    const { controlUrl, saleCode } = await openControlled();
    const answer = await callService(controlUrl, "POST", "/control/card/remove", { headers });
    expect(answer.status).toBe(403);
    expect(answer.json()).toEqual({ message: expect.any(String), details: [] });
    expect(await saleCode()).toBe("");
  });

  it("of an allowed origin may use every method that there is", async () => {
    const guard = { allowedHosts: [], allowedOrigins: ["https://pos.example"] };
    const { controlUrl } = await openControlled({}, {}, guard);
    const headers = { Origin: "https://pos.example", "Sec-Fetch-Site": "cross-site" };
    const preflight = await callService(controlUrl, "OPTIONS", "/control/card", { headers });
    expect(preflight.headers["access-control-allow-methods"]).toBe("GET, PATCH, POST, DELETE, PUT");
    expect((await callService(controlUrl, "GET", "/control/card", { headers })).status).toBe(200);
  });
});

it("describes every endpoint in OpenAPI 3.1, with the schemas that validate requests", async () => {
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
