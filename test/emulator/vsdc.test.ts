/** The authority's online service: who may call it, whose receipts it signs, and what goes wrong there. */
import { X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runConformance } from "../../emulator/cli/conformance.js";
import { rehearse } from "../../emulator/cli/rehearse.js";
import { byArea } from "../../emulator/conformance/case.js";
import { MemoryRecording } from "../../emulator/control/memory-recording.js";
import { recordControlCall } from "../../emulator/control/recorded-control.js";
import { type HttpRequest, httpCall } from "../../emulator/scenario/http-call.js";
import { loadScenarios } from "../../emulator/scenario/load.js";
import { onlineCall } from "../../emulator/scenario/online-call.js";
import { play } from "../../emulator/scenario/play.js";
import { WorldStage } from "../../emulator/scenario/world-stage.js";
import { createEmulator } from "../../emulator/testkit.js";
import type { Given } from "../../emulator/world/given.js";
import { World } from "../../emulator/world/world.js";
import type { WorldOptions } from "../../emulator/world/world-options.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { readReport } from "../../src/client/report-source.js";
import { verified } from "../../src/commands/verified.js";
import { loadConfig } from "../../src/config/load.js";
import { isSignatureValid } from "../../src/fiscal/signature.js";
import { decodeVerificationUrl } from "../../src/fiscal/verification-url.js";
import { tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { TestCa } from "../support/openssl.js";
import { proxied } from "../support/proxied.js";
import { scenarioFile } from "../support/scenario-file.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

interface OnlineAnswer {
  readonly requestedBy: string;
  readonly signedBy: string;
  readonly invoiceNumber: string;
  readonly invoiceCounter: string;
  readonly totalCounter: number;
  readonly verificationUrl: string;
  readonly journal: string;
  readonly mrc: string;
  readonly tin: string;
  readonly businessName: string;
  readonly taxItems: readonly object[];
}

const INVOICES = "/api/v3/invoices";
const post = (headers: Record<string, string> = {}, invoice: object = sale()): HttpRequest => ({
  method: "POST",
  path: INVOICES,
  headers: { ...JSON_HEADERS, ...headers },
  body: Buffer.from(JSON.stringify(invoice)),
});
const get = (path: string): HttpRequest => ({ method: "GET", path: `/api/v3${path}`, headers: {} });

async function open(given: Given = {}, options: WorldOptions = {}) {
  const world = await World.open({ vsdc: {}, ...given, card: { pinVerified: true, ...given.card } }, options);
  onTestFinished(() => world.close());
  const { vsdc } = world;
  if (!vsdc) throw new Error("the world has no online service");
  const address = { url: vsdc.url, ...(await world.onlineAccess()) };
  const call = (request: HttpRequest) => onlineCall(address, request);
  const sell = async (headers: Record<string, string> = {}, invoice: object = sale()) => {
    const answer = await call(post(headers, invoice));
    expect(answer).toMatchObject({ status: 200 });
    return JSON.parse(answer?.text ?? "") as OnlineAnswer;
  };
  return { world, vsdc, address, call, sell };
}

async function sellWithCard(world: World): Promise<OnlineAnswer> {
  const answer = await callService(world.url, "POST", INVOICES, { headers: JSON_HEADERS, body: sale() });
  return answer.json<OnlineAnswer>();
}

/** Of another authority, made by openssl. */
function foreignIdentity() {
  const { certificate, key } = new TestCa(temporaryFolder()).issue("client", { subject: "/serialNumber=TESTCARD" });
  return { cert: readFileSync(certificate), key: readFileSync(key) };
}

describe("a receipt of the online service", () => {
  it("names the taxpayer's element as requester and the authority's as signer, and counts the signer's invoices", async () => {
    const { world, vsdc, sell } = await open({ card: { counters: { total: 41 } } });
    const card = await sellWithCard(world);
    await sell();
    const online = await sell();
    expect(online).toMatchObject({
      requestedBy: "TESTCARD",
      signedBy: "TSVSDCO0",
      totalCounter: 2,
      invoiceNumber: "TESTCARD-TSVSDCO0-2",
      mrc: "99-0100-TSVSDCO0",
    });
    expect(online.invoiceCounter).toMatch(/^2\/2/);
    expect(online.journal).toContain("TESTCARD-TSVSDCO0-2");
    expect(card).toMatchObject({ signedBy: "TESTCARD", totalCounter: 42 });
    // Taxes and taxpayer are the same as on a receipt of the till.
    const { tin, businessName, taxItems } = card;
    expect(online).toMatchObject({ tin, businessName, taxItems });
    const decoded = decodeVerificationUrl(online.verificationUrl);
    expect(decoded).toMatchObject({ requestedBy: "TESTCARD", signedBy: "TSVSDCO0", totalCounter: 2, hashValid: true });
    const { publicKey } = new X509Certificate(vsdc.element.certificate);
    expect(isSignatureValid(decoded, tin, publicKey)).toBe(true);
  });

  it("is signed without a card, a reader or a PIN at the till", async () => {
    const { world, sell } = await open({ card: { inserted: false, pinVerified: false } });
    world.reader.unplug();
    expect(await sell()).toMatchObject({ totalCounter: 1 });
  });

  it("is the same one for a repeated RequestId, which finds it later, too", async () => {
    const { call, sell } = await open();
    const first = await sell({ RequestId: "web-1" });
    expect(await sell({ RequestId: "web-1" }, undefined)).toMatchObject({ invoiceNumber: first.invoiceNumber });
    const found = await call(get("/invoices/web-1"));
    expect(JSON.parse(found?.text ?? "")).toMatchObject({ invoiceNumber: first.invoiceNumber });
  });

  it.each([
    ["this service's page", { ownAuthority: true }, {}],
    ["the page of the emulated authority", {}, { authority: {} }],
  ])("is valid at %s, with its text", async (_, options, given) => {
    const { world, sell } = await open(given, options);
    const { verificationUrl, journal } = await sell();
    const { pathname, search } = new URL(verificationUrl);
    const verdict = await callService(world.url, "GET", pathname + search, { headers: { Accept: "application/json" } });
    expect(verdict.json()).toMatchObject({ valid: true, taxpayer: { tin: "RS100000001" }, journal });
    expect(verdict.json()).toMatchObject({ invoice: { onlineService: "TSVSDCO0" } });
    const page = await callService(world.url, "GET", pathname + search, {
      headers: { Accept: "text/html", "Accept-Language": "sr-Latn-RS" },
    });
    expect(page.text).toContain("onlajn servis TSVSDCO0");
    if ("authority" in given) expect(verificationUrl).toContain(world.taxAuthority?.url);
    else expect(verificationUrl).toContain(world.url);
  });

  it("is decoded with the signer's certificate and the taxpayer's TIN", async () => {
    const { vsdc, sell } = await open();
    const { verificationUrl, tin } = await sell();
    const file = join(temporaryFolder(), "signer.crt");
    writeFileSync(file, vsdc.element.certificate);
    const args = ["decode", verificationUrl, "--key", file];
    const right = await tillseal([...args, "--tin", tin]);
    expect(right.stdout).toMatch(/signer +online service/);
    expect(right.stdout).toMatch(/signatureValid +valid/);
    const without = await tillseal(args);
    expect([without.status, without.stderr]).toEqual([2, expect.stringContaining("--tin")]);
  });

  it("has the rates that the authority has now", async () => {
    const { world, call } = await open({ authority: {} });
    await world.audits.act({ configure: "cyrillic" });
    const status = await call(get("/status"));
    expect(status?.text).toContain('"label":"Ђ"');
  });
});

describe("the online service with a data folder", () => {
  it("goes on counting after a restart, and its store proves every receipt", async () => {
    const dataDir = temporaryFolder();
    const first = await open({ clock: { at: "2026-01-05T12:00:00Z" } }, { dataDir });
    await first.sell({ RequestId: "web-1" });
    await first.world.close();
    const second = await open({ clock: { at: "2026-01-05T13:00:00Z" } }, { dataDir });
    const found = await second.call(get("/invoices/web-1"));
    expect(found).toMatchObject({ status: 200 });
    expect(await second.sell()).toMatchObject({ totalCounter: 2 });
    // The certificate and the address of the first run still work.
    const before = { ...first.address, url: second.vsdc.url };
    expect(await onlineCall(before, get("/attention"))).toMatchObject({ status: 200 });
    await second.world.close();
    const { verdict } = await verified(join(dataDir, "vsdc"));
    expect(verdict).toMatchObject({ entries: 2, findings: [] });
    const config = loadConfig({ flags: { dataDir: join(dataDir, "vsdc") } });
    const options = { from: "2026-01-05", to: "2026-01-05", form: "text", language: "en-US" } as const;
    const report = await readReport(config, options);
    expect(report).toMatch(/Last number: +TESTCARD-TSVSDCO0-2\r\n[\s\S]*Receipts: +2\r\n/);
  });
});

describe("the online service", () => {
  it("has only the paths that such a service has", async () => {
    const { call } = await open();
    for (const path of ["/attention", "/status", "/environment-parameters"]) {
      expect(await call(get(path)), path).toMatchObject({ status: 200 });
    }
    for (const path of ["/api/v3/pin", "/api/v3/test-invoice", "/console/till", "/"]) {
      const answer = await call({ method: "POST", path, headers: JSON_HEADERS, body: Buffer.from("{}") });
      expect(answer, path).toMatchObject({ status: 404 });
      expect(JSON.parse(answer?.text ?? "")).toMatchObject({ Message: "Not found" });
    }
  });

  it("refuses a client without a certificate, or with one that the authority did not issue", async () => {
    const { world, address } = await open();
    const { ca, pac } = address;
    const request = post({ PAC: pac });
    const none = await httpCall(address.url, request, new Agent({ ca }));
    expect(none).toMatchObject({ status: 403 });
    expect(none?.text).toContain("no client certificate");
    const foreign = await httpCall(address.url, request, new Agent({ ca, ...foreignIdentity() }));
    expect(foreign).toMatchObject({ status: 403 });
    expect(foreign?.text).toContain("did not issue");
    expect(world.vsdc?.element.memory.load().totalCounter).toBe(0);
  });

  it("refuses a missing or wrong PAC with an error that names it, and keeps the PAC out of the traffic log", async () => {
    const { world, call, address } = await open();
    for (const PAC of ["", "WRONG1"]) {
      const answer = await call(post({ PAC }));
      expect(answer).toMatchObject({ status: 401 });
      expect(answer?.text).toContain("PAC");
    }
    await call(post());
    const entries = world.traffic.entries.filter(({ online }) => online === true);
    expect(entries.map(({ status }) => status)).toEqual([401, 401, 200]);
    expect(JSON.stringify(entries)).not.toContain(address.pac);
  });

  it("refuses a UID that the authority does not know", async () => {
    const { vsdc, call } = await open();
    const stranger = { url: vsdc.url, ...(await vsdc.accessFor("STRANGER")) };
    expect(await onlineCall(stranger, post())).toMatchObject({ status: 403 });
    expect(await call(post())).toMatchObject({ status: 200 });
  });
});

describe("a POS that falls back to the online service", () => {
  it("is played by the scenario, and the rehearsal judges it", async () => {
    const rows = await rehearse({
      from: join(PACKAGE_ROOT, "scenarios", "online", "fall-back-and-return.yaml"),
      port: 0,
      host: "localhost",
      vsdc: false,
      drive: false,
      json: false,
      stopped: new AbortController().signal,
      write: () => undefined,
      notice: (text) => expect(text).toBe(""),
    });
    const states = Object.fromEntries(rows.map(({ id, state }) => [id, state]));
    expect(states).toMatchObject({ "ONLINE-RETURN": "passed", "ONLINE-TWICE": "notSeen", "OPS-002-PIN": "passed" });
  });

  /** Sells once with the card, once while the card is out, and twice when it is back. */
  async function day(staysOnline: boolean) {
    const till = await createEmulator({ scenario: "pos/falls-back-to-online" });
    onTestFinished(() => till.close());
    const { url, ...access } = await till.onlineService();
    const address = { url, ...access };
    const withCard = (requestId: string) => httpCall(till.url, post({ RequestId: requestId }));
    await withCard("order-1");
    till.card.remove();
    expect(await withCard("order-2")).toMatchObject({ status: 400 });
    expect(await onlineCall(address, post({ RequestId: "order-2" }))).toMatchObject({ status: 200 });
    await till.card.insert();
    await callService(till.url, "POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: "1234" });
    for (const order of ["order-3", "order-4"]) {
      await (staysOnline ? onlineCall(address, post({ RequestId: order })) : withCard(order));
    }
    return { unmet: await till.unmet(), online: till.signed({ online: true }) };
  }

  it("meets what a scenario expects of it, unless it stays online", async () => {
    const right = await day(false);
    expect(right.unmet).toEqual([]);
    expect(right.online.map(({ requestId }) => requestId)).toEqual(["order-2"]);
    expect((await day(true)).unmet.join("\n")).toContain("in order, 3 of 3");
  });
});

describe("tillseal conformance", () => {
  /** @returns areas by outcome, and the deviations */
  async function examined(online: boolean) {
    const { vsdc, address } = await open();
    const folder = temporaryFolder();
    const file = (name: string, content: string | Uint8Array) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const { certificate, key, ca, pac } = address;
    const { cases, outcome } = await runConformance({
      remote: {
        baseUrl: vsdc.url,
        allowed: { riskLockingTheCard: false, issueRealReceipts: true },
        headers: { PAC: pac },
      },
      tls: { cert: file("client.pem", certificate + key), ca: file("ca.pem", ca) },
      certificate: file("element.crt", vsdc.element.certificate),
      online,
      reports: [],
      write: () => undefined,
    });
    const outcomes = Object.fromEntries(byArea(cases).map((area) => [area.area, area.outcome]));
    return { outcome, outcomes, deviations: cases.flatMap(({ deviations }) => deviations) };
  }

  it("finds nothing wrong with an online service, and proves its signatures", async () => {
    const { outcome, outcomes, deviations } = await examined(true);
    expect(deviations).toEqual([]);
    expect(outcome).toBe("conforms");
    expect(outcomes).toMatchObject({
      Answer: "conforms",
      Signature: "conforms",
      Journal: "conforms",
      Taxes: "conforms",
    });
    expect(outcomes).toMatchObject({ "Verification URL": "conforms", Counters: "conforms", Recovery: "conforms" });
  });

  it("says of a till's service that the card must have asked for its own signature", async () => {
    const { deviations } = await examined(false);
    expect(deviations).toContainEqual(
      expect.objectContaining({ path: "requestedBy", expected: '"TSVSDCO0"', actual: '"TESTCARD"' }),
    );
  });
});

describe("the control interface", () => {
  it("has the files of the client and changes the faults, if there is an online service", async () => {
    const till = await createEmulator({ given: { vsdc: {} } });
    onTestFinished(() => till.close());
    const call = async (method: string, path: string, body?: object) =>
      callService(till.controlUrl, method, `/control/vsdc${path}`, {
        headers: JSON_HEADERS,
        ...(body ? { body } : {}),
      });
    const record = (await call("GET", "")).json();
    expect(record).toMatchObject({ uid: "TESTCARD", pac: "A1B2C3", faults: { down: false, delay: "0s" } });
    expect((await call("GET", "/client.pem")).text).toBe(`${record.certificate}${record.key}`);
    expect((await call("GET", "/ca.pem")).text).toBe(record.ca);
    expect((await call("PATCH", "", { down: true })).json()).toMatchObject({ faults: { down: true, revoked: false } });
    expect((await call("PATCH", "", { gone: true })).status).toBe(400);
    const without = await createEmulator();
    onTestFinished(() => without.close());
    const answer = await callService(without.controlUrl, "GET", "/control/vsdc");
    expect(answer).toMatchObject({ status: 404 });
    expect(answer.text).toContain("--vsdc");
    await expect(without.onlineService()).rejects.toThrow("no online service");
  });
});

describe("a recording", () => {
  it("has the online sales and the faults, and plays", async () => {
    const { world, call } = await open();
    const recording = new MemoryRecording(world);
    await call(post({ RequestId: "order-1" }));
    recordControlCall(recording, world, "patchVsdc", { params: {}, query: {}, body: { loseAnswers: true } });
    world.setVsdcFaults({ loseAnswers: true });
    await call(post({ RequestId: "order-2" }));
    const file = scenarioFile(await recording.scenario());
    const [scenario] = loadScenarios(file);
    if (!scenario) throw new Error("nothing was recorded");
    expect(scenario.steps).toHaveLength(3);
    const played = await play(scenario, ({ given }) => WorldStage.open(given, { realTime: false }));
    expect(played).toMatchObject({ status: "passed" });
  });
});

describe("tillseal proxy", () => {
  it("records an online service: the scenario plays, and neither file nor traffic log has the PAC", async () => {
    const { world, vsdc, address, call } = await open({ card: { uid: "SHOP0001" } });
    const folder = temporaryFolder();
    const [cert, ca, record] = ["client.pem", "ca.pem", "day.yaml"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(cert, address.certificate + address.key);
    writeFileSync(ca, address.ca);
    const headers = { PAC: address.pac };
    const proxy = await proxied(vsdc.url, { vsdc: true, headers, cert, ca, record });
    await httpCall(proxy.url, post({ ...headers, RequestId: "order-1" }));
    await httpCall(proxy.url, { ...get("/status"), headers });
    proxy.fault({ on: "answer", kind: "connectionDropped", nth: 1 });
    expect(await httpCall(proxy.url, post({ ...headers, RequestId: "order-2" }))).toBeUndefined();
    await httpCall(proxy.url, post({ ...headers, RequestId: "order-2" }));
    await httpCall(proxy.url, post({ PAC: "WRONG1" }));
    expect(proxy.traffic.entries.map(({ online, status }) => [online, status])).toEqual(
      [200, 200, 0, 200, 401].map((status) => [true, status]),
    );
    expect(JSON.stringify(proxy.traffic.entries)).not.toContain(address.pac);
    expect(vsdc.element.memory.load().totalCounter).toBe(2);
    expect(await call(get("/attention"))).toMatchObject({ status: 200 });
    await world.close();
    expect(proxy.leftOut()).toEqual(["1 left out: refused with 401, such as a wrong PAC"]);
    const text = readFileSync(record, "utf8");
    expect(text).not.toMatch(new RegExp(`${address.pac}|WRONG1`));
    const [scenario] = loadScenarios(record);
    if (!scenario) throw new Error("nothing was recorded");
    expect(scenario.given).toMatchObject({ vsdc: {}, card: { uid: "SHOP0001", inserted: false } });
    const { status, failure } = await play(scenario, ({ given }) => WorldStage.open(given, { realTime: false }));
    expect(failure).toBeUndefined();
    expect(status).toBe("passed");
  });
});

describe("a fault of the online service", () => {
  it("revoked: every request is refused until the fault is gone", async () => {
    const { world, call } = await open({ vsdc: { faults: { revoked: true } } });
    expect(await call(get("/attention"))).toMatchObject({ status: 403 });
    world.setVsdcFaults("clear");
    expect(await call(get("/attention"))).toMatchObject({ status: 200 });
  });

  it("down: no answer comes, and nothing is signed", async () => {
    const { world, vsdc, call } = await open({ vsdc: { faults: { down: true } } });
    expect(await call(post())).toBeUndefined();
    expect(vsdc.element.memory.load().totalCounter).toBe(0);
    world.setVsdcFaults({ down: false });
    expect(await call(post())).toMatchObject({ status: 200 });
  });

  it("loseAnswers: the invoice is signed, and a repeat with its RequestId gets the receipt", async () => {
    const { world, vsdc, call, sell } = await open({ vsdc: { faults: { loseAnswers: true } } });
    expect(await call(post({ RequestId: "web-2" }))).toBeUndefined();
    expect(vsdc.element.memory.load().totalCounter).toBe(1);
    world.setVsdcFaults("clear");
    expect(await sell({ RequestId: "web-2" })).toMatchObject({ totalCounter: 1 });
  });

  it("delay: the answer comes later, on the emulated clock", async () => {
    const { world, sell } = await open({ clock: { ticking: false }, vsdc: { faults: { delay: "20s" } } });
    const before = world.clock.now();
    await sell();
    expect(world.clock.now() - before).toBe(20_000);
  });
});
