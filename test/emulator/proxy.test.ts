/** `tillseal proxy` turns traffic with a real service into a scenario that passes and holds no PIN, and adds faults. */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Given } from "../../emulator/world/given.js";
import type { World } from "../../emulator/world/world.js";
import { httpCall } from "../../harness/scenario/http-call.js";
import { listen, urlOf } from "../../src/http/listen.js";
import { start, tillseal } from "../support/command.js";
import { openedWorld } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { foreignStub } from "../support/foreign-stub.js";
import { freePort } from "../support/free-port.js";
import { TestCa } from "../support/openssl.js";
import { proxied, target } from "../support/proxied.js";
import { whyFailing } from "../support/scenario-file.js";
import { callService, JSON_HEADERS, sale as latinSale } from "../support/till.js";

const GIVEN: Given = {
  card: { pin: "7531", uid: "PROXY001", taxpayer: { businessName: "Mlekara" } },
  environment: "cyrillic",
};
const TOKEN = "a-secret-token";

const worldOf = (given: Given = GIVEN) => openedWorld(given);

/** A sale with labels that exist in that environment. */
const sale = (overrides: object = {}) => {
  const items = [
    { name: "Milk", quantity: 1, unitPrice: 40, labels: ["Е"], totalAmount: 40 },
    { name: "Coffee", quantity: 2, unitPrice: 30, labels: ["Ђ"], totalAmount: 60 },
  ];
  return latinSale({ items, ...overrides });
};

const post = (url: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  callService(url, "POST", `/api/v3${path}`, {
    headers: { ...JSON_HEADERS, ...headers },
    body: body as string | object,
  });

/** A POS's day with everything that happens to a card, and PINs in expected and unexpected places. */
async function day(url: string, world: World): Promise<void> {
  await callService(url, "GET", "/api/v3/attention");
  await callService(url, "GET", "/api/v3/status");
  await callService(url, "GET", "/api/v3/environment-parameters");
  await post(url, "/invoices", sale(), { RequestId: "early" });
  await post(url, "/pin", '{"pin": "8642"}');
  await post(url, "/pin", "7531", { "Content-Type": "text/plain" });
  const sold = await post(url, "/invoices", sale({ cashier: "7531" }), { RequestId: "one", "X-Pin": "7531" });
  const { invoiceNumber } = sold.json<{ invoiceNumber: string }>();
  await post(url, "/invoices", sale({ cashier: "7531" }), { RequestId: "one" });
  await post(url, "/invoices", sale({ transactionType: "Refund", referentDocumentNumber: invoiceNumber }));
  await post(url, "/invoices", sale({ items: [] }));
  await post(url, "/invoices", sale({ options: { omitQRCodeGen: "1", omitTextualRepresentation: "1" } }));
  await callService(url, "GET", "/api/v3/invoices/one");
  await callService(url, "GET", "/api/v3/status?pin=7531");
  world.reader.remove();
  await post(url, "/invoices", sale());
  await world.insert();
  await post(url, "/invoices", sale());
  await post(url, "/pin", { pin: "\u0037531" });
  await post(url, "/invoices", sale({ invoiceType: "Training", cashier: "Ana 8642" }));
  await callService(url, "GET", "/api/v3/status");
}

it("tillseal proxy --record turns a POS's day into a scenario that scenario run passes, including removals of the card", async () => {
  const world = await worldOf();
  const file = join(temporaryFolder(), "day.yaml");
  const greeted = /point the POS at (\S+);/;
  const {
    greeting,
    process: proxy,
    exited,
    complaints,
  } = await start(["proxy", "--target", world.url, "--port", "0", "--record", file]);
  const url = greeted.exec(greeting)?.[1] ?? "";
  await day(url, world);
  await callService(url, "GET", "/openapi.json");
  proxy.kill("SIGTERM");
  expect(await exited).toBe(0);
  expect(complaints()).toBe("tillseal: 1 left out: not of the interface\n");
  const recorded = readFileSync(file, "utf8");
  expect(`${recorded}${greeting}${complaints()}`).not.toMatch(/7531|8642/);
  expect(recorded).toContain("uid: PROXY001");
  expect(recorded).toContain("businessName: Mlekara");
  expect(recorded).toContain("label: Ђ");
  expect(recorded).toContain("card: remove");
  expect(recorded).toContain(`referentDocumentNumber: \${invoice1}`);
  expect(recorded).not.toMatch(/(^|[ -])[&*]\w+( |$)/m);
  const played = await tillseal(["scenario", "run", file]);
  expect([played.status, played.stdout]).toEqual([0, expect.stringContaining("1 passed")]);
});

it("tillseal proxy --record shows a client certificate to an HTTPS target, adds its token, and records no token", async () => {
  const world = await worldOf();
  const ca = new TestCa(temporaryFolder());
  const server = ca.issue("server", { names: "DNS:localhost,IP:127.0.0.1" });
  const client = ca.issue("client");
  const [cert, key] = [readFileSync(server.certificate), readFileSync(server.key)];
  const sandbox = createServer(
    { cert, key, ca: ca.pem, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const { method = "", url = "", headers } = request;
      void request.toArray().then(async (chunks) => {
        const body = Buffer.concat(chunks as Buffer[]);
        const path = url.startsWith(`/${TOKEN}/`) ? url.slice(TOKEN.length + 1) : "/nowhere";
        const { host: _, ...sent } = headers as Record<string, string>;
        const answer = await httpCall(world.url, {
          method,
          path,
          headers: sent,
          ...(body.length > 0 ? { body } : {}),
        });
        response.writeHead(answer?.status ?? 500, { "Content-Type": "application/json" }).end(answer?.text);
      });
    },
  );
  await listen(sandbox, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => void sandbox.close());
  const target = `${urlOf(sandbox)?.replace("http:", "https:")}/${TOKEN}`;
  const file = join(temporaryFolder(), "day.yaml");
  const tls = { ca: ca.certificate, cert: client.certificate, key: client.key };
  const proxy = await proxied(target, { ...tls, record: file });
  await day(proxy.url, world);
  expect(readFileSync(file, "utf8")).not.toMatch(new RegExp(`7531|8642|${TOKEN}`));
  expect(await whyFailing(file)).toBeUndefined();
  // Fails without the CA, and without the client certificate.
  const why = (options: object) => proxied(target, { record: file, ...options }).catch((error: Error) => error.message);
  expect(await why({})).toMatch(/^no whole answer from https:\/\/127\.0\.0\.1:\d+: the connection failed: .*--ca$/);
  expect(await why({ ca: ca.certificate })).toMatch(/the connection failed: .*CERTIFICATE_REQUIRED.*--cert/);
});

it("tillseal proxy --record records another maker's service with its own texts and fields, and the scenario passes", async () => {
  const stub = await foreignStub((answer) => ({ ...answer, messages: "Uspešno", journal: "of its own form\r\n" }));
  const file = join(temporaryFolder(), "day.yaml");
  const { url } = await proxied(stub.url, { record: file });
  await post(url, "/pin", "1234");
  expect((await post(url, "/invoices", latinSale())).json().messages).toBe("Uspešno");
  await post(
    url,
    "/invoices",
    latinSale({ items: [{ name: "x", quantity: 1, unitPrice: 1, labels: ["?"], totalAmount: 1 }] }),
  );
  await callService(url, "GET", "/api/v3/status");
  expect(readFileSync(file, "utf8")).not.toContain("Uspešno");
  expect(await whyFailing(file)).toBeUndefined();
});

it("tillseal proxy --record learns settings, a PIN verified elsewhere and a locked card from the answers", async () => {
  const settings = { answerForm: "device", requestIdLength: 36 } as const;
  const world = await worldOf({ ...GIVEN, settings, card: { ...GIVEN.card, pinTries: 2 } });
  const file = join(temporaryFolder(), "day.yaml");
  const { url } = await proxied(world.url, { record: file });
  expect((await post(url, "/pin", "8642")).status).toBe(423);
  await post(world.url, "/pin", "7531");
  const RequestId = "0f8fad5b-d9cb-469f-a165-70867728950e";
  expect((await post(url, "/invoices", sale(), { RequestId })).status).toBe(200);
  await post(url, "/pin", "8642");
  await post(url, "/pin", "8642");
  await post(url, "/invoices", sale());
  const recorded = readFileSync(file, "utf8");
  expect(recorded).toMatch(/settings:\n +answerForm: device\n +requestIdLength: 36/);
  expect(recorded).toContain("say: a request that is not recorded verified the PIN");
  expect(recorded).toMatch(/patch:\n +locked: true/);
  expect(await whyFailing(file)).toBeUndefined();
});

it("tillseal proxy --record accepts either success status of a sale", async () => {
  const world = await worldOf();
  const created = await target(async (request, response, body) => {
    const { method = "", url: path = "" } = request;
    const answer = await httpCall(world.url, {
      method,
      path,
      headers: JSON_HEADERS,
      ...(body.length > 0 ? { body } : {}),
    });
    response.writeHead(path.endsWith("/invoices") ? 201 : 200).end(answer?.text);
  });
  const file = join(temporaryFolder(), "day.yaml");
  const { url } = await proxied(created.url, { record: file });
  await post(url, "/pin", "7531");
  expect((await post(url, "/invoices", sale())).status).toBe(201);
  expect(await whyFailing(file)).toBeUndefined();
});

it("tillseal proxy --record holds no PIN of a target that repeats it in every answer", async () => {
  const echo = await target((request, response, body) => {
    const digits = body.toString().replace(/\D/g, "") || "7531";
    if (request.url === "/api/v3/status")
      response.end(JSON.stringify({ gsc: ["1500", digits], uid: digits, isPinRequired: true }));
    else if (request.url === "/api/v3/pin") response.end(digits);
    else {
      const modelState = [{ property: `pin ${digits}`, errors: [digits] }];
      response.statusCode = 400;
      response.end(
        JSON.stringify({ code: digits, message: digits, details: digits, modelState, totalAmount: Number(digits) }),
      );
    }
  });
  const file = join(temporaryFolder(), "day.yaml");
  const { url } = await proxied(echo.url, { record: file });
  await post(url, "/pin", "7531");
  await post(url, "/pin", '{"pin":"\\u0037531"}');
  await post(url, "/invoices", { "7531": 7531, cashier: "7531", items: ["\u0667531", 7531] });
  await callService(url, "GET", "/api/v3/invoices/7531");
  expect(
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.includes("7531")),
  ).toEqual([]);
});

it("tillseal proxy --record leaves out compressed bodies, because they could hold a PIN", async () => {
  const world = await worldOf();
  const file = join(temporaryFolder(), "day.yaml");
  const proxy = await proxied(world.url, { record: file });
  await callService(proxy.url, "POST", "/api/v3/pin", { headers: { "Content-Encoding": "gzip" }, body: "7531" });
  expect(proxy.leftOut()).toEqual(["1 left out: compressed"]);
  expect(existsSync(file)).toBe(false);
});

it("tillseal proxy --record explains why it does not start", async () => {
  const file = join(temporaryFolder(), "x.yaml");
  const unreachable = `http://127.0.0.1:${await freePort()}`;
  expect(await tillseal(["proxy", "--target", `${unreachable}/${TOKEN}`, "--port", "0", "--record", file])).toEqual({
    status: 1,
    stdout: "",
    stderr: `tillseal: no whole answer from ${unreachable}: the connection failed: ECONNREFUSED\n`,
  });
  const world = await worldOf();
  const refused = (...args: string[]) => tillseal(["proxy", "--target", world.url, "--port", "0", ...args]);
  expect(await refused("--record", join(file, "y"))).toMatchObject({ status: 2, stderr: /cannot be written/ });
  expect(await refused("--fault", '{"on":"answer","kind":"latncy"}')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/kind is "latncy"; did you mean latency\? It must be one of /),
  });
  expect((await refused("--fault", '{"on":"request","kind":"short"}')).stderr).toContain("on must be one of answer");
  expect((await refused("--fault", '{"on":"answer","kind":"code","code":"9999"}')).stderr).toContain(
    'code is "9999"; did you mean',
  );
  expect((await refused("--key", "x")).stderr).toContain("need --cert");
});

it("tillseal proxy says of an answer that broke off, and of a PIN whose answer was lost, no more than it knows", async () => {
  const { url: broken } = await target((_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half");
    setTimeout(() => response.destroy(), 50);
  });
  const { details } = (await post((await proxied(broken)).url, "/invoices", sale())).json<{ details: string }>();
  expect(details).toBe(`The proxy got no whole answer from ${broken}: the connection failed: ECONNRESET`);
  const world = await worldOf();
  const file = join(temporaryFolder(), "pin.yaml");
  const lost = '{"on":"answer","kind":"connectionDropped","path":"/api/v3/pin","nth":1}';
  const { url } = await proxied(world.url, { record: file, faults: [lost] });
  await expect(post(url, "/pin", "7531")).rejects.toThrow();
  expect((await post(url, "/invoices", sale())).status).toBe(200);
  expect(readFileSync(file, "utf8")).toContain("say: a request that is not recorded verified the PIN");
});

async function between(world: World, file?: string) {
  const proxy = await proxied(world.url, { controlPort: 0, ...(file === undefined ? {} : { record: file }) });
  const control = (method: string, path: string, body?: object) =>
    callService(proxy.controlUrl ?? "", method, `/control${path}`, body ? { headers: JSON_HEADERS, body } : {});
  await post(proxy.url, "/pin", "7531");
  return { url: proxy.url, control, proxy };
}
const signed = (world: World) => world.card?.memory.load().totalCounter;

it("faults of the proxy lose the request or the answer; a repeat finds what was signed, and the recording replays it", async () => {
  const world = await worldOf();
  const file = join(temporaryFolder(), "lost.yaml");
  const { url, control } = await between(world, file);
  expect((await control("POST", "/faults", { on: "request", kind: "connectionDropped", nth: 1 })).status).toBe(201);
  await expect(post(url, "/invoices", sale(), { RequestId: "a" })).rejects.toThrow();
  expect(signed(world)).toBe(0);
  for (const kind of ["connectionDropped", "short"]) {
    await control("DELETE", "/faults");
    await control("POST", "/faults", { on: "answer", kind, nth: 1 });
    await expect(post(url, "/invoices", sale(), { RequestId: kind })).rejects.toThrow();
    const again = await post(url, "/invoices", sale(), { RequestId: kind });
    expect([again.status, again.headers["idempotent-replayed"]]).toEqual([200, "true"]);
  }
  expect(signed(world)).toBe(2);
  const recorded = readFileSync(file, "utf8");
  expect(recorded.match(/dropped: true/g)).toHaveLength(2);
  expect(await whyFailing(file)).toBeUndefined();
});

it("faults of the proxy answer with a code, before or after the target has signed, and the recording leaves these out", async () => {
  const world = await worldOf();
  const file = join(temporaryFolder(), "codes.yaml");
  const { url, control, proxy } = await between(world, file);
  await control("POST", "/faults", { on: "request", kind: "code", code: "2220", nth: 1 });
  await control("POST", "/faults", { on: "answer", kind: "code", code: "2210", status: 500, nth: 1 });
  const before = await post(url, "/invoices", sale());
  expect([before.status, before.json().code, before.headers["tillseal-proxy"], signed(world)]).toEqual([
    500,
    "2220",
    "fault",
    0,
  ]);
  const after = await post(url, "/invoices", sale());
  expect([after.status, after.json().code, signed(world)]).toEqual([500, "2210", 1]);
  expect((await control("GET", "/faults")).json<{ struck: number }[]>().map(({ struck }) => struck)).toEqual([1, 1]);
  expect(proxy.leftOut()).toEqual(["2 left out: answers of the proxy itself"]);
  expect(readFileSync(file, "utf8")).not.toMatch(/22[12]0/);
});

it("faults of the proxy delay an answer, leave it complete, and apply to a chosen path", async () => {
  const world = await worldOf();
  const { url, control } = await between(world);
  await control("POST", "/faults", { on: "answer", kind: "trickle", duration: "4ms", path: "/api/v3/status" });
  await control("POST", "/faults", { on: "request", kind: "latency", duration: "1ms", upTo: "3ms", path: "*" });
  const status = await callService(url, "GET", "/api/v3/status");
  expect(status.json().uid).toBe("PROXY001");
  await post(url, "/invoices", sale());
  const struck = async () =>
    (await control("GET", "/faults"))
      .json<{ id: number; struck: number }[]>()
      .map(({ id, struck: times }) => [id, times]);
  expect(await struck()).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect((await control("DELETE", "/faults/1")).status).toBe(204);
  expect((await control("DELETE", "/faults/1")).status).toBe(404);
  expect(await struck()).toEqual([[2, 2]]);
  const { status: refused, text } = await control("POST", "/faults", { on: "answer", kind: "short", duration: "1s" });
  expect([refused, text]).toEqual([400, expect.stringContaining("short has no duration")]);
  // There is no PIN in the traffic either.
  const traffic = await control("GET", "/traffic");
  expect(traffic.json<{ path: string }[]>().map(({ path }) => path)).toEqual([
    "/api/v3/pin",
    "/api/v3/status",
    "/api/v3/invoices",
  ]);
  expect(traffic.text).not.toContain("7531");
  expect((await control("DELETE", "/traffic")).status).toBe(204);
  expect((await control("GET", "/traffic")).json()).toEqual([]);
});
