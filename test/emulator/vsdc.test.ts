/** The authority's online service: who may call it, whose receipts it signs, and what goes wrong there. */
import { X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { World } from "../../emulator/world/world.js";
import { httpCall, onlineCall } from "../../harness/scenario/http-call.js";
import { checkStore } from "../../src/commands/store.js";
import { isSignatureValid } from "../../src/fiscal/signature.js";
import { decodeVerificationUrl } from "../../src/fiscal/verification-url.js";
import { tillseal } from "../support/command.js";
import { openedEmulator } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { get, INVOICES, type OnlineAnswer, open, post } from "../support/online.js";
import { openssl, TestCa } from "../support/openssl.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

async function sellWithCard(world: World): Promise<OnlineAnswer> {
  const answer = await callService(world.url, "POST", INVOICES, { headers: JSON_HEADERS, body: sale() });
  return answer.json<OnlineAnswer>();
}

/** A client certificate of another authority, made by openssl. */
function foreignIdentity() {
  const { certificate, key } = new TestCa(temporaryFolder()).issue("client", { subject: "/serialNumber=TESTCARD" });
  return { cert: readFileSync(certificate), key: readFileSync(key) };
}

it("a receipt of the online service names the taxpayer's element as requester and the authority's as signer, and counts the signer's invoices", async () => {
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

it.each([
  ["an authority", { authority: {} }],
  ["no authority", {}],
])(
  "the environments of till and online service name the online service, and the authority of status, with %s",
  async (_, given) => {
    const { world, vsdc, call } = await open(given);
    const ofTill = async (path: string) => (await callService(world.url, "GET", `/api/v3${path}`)).json<object>();
    const ofVsdc = async (path: string) => JSON.parse((await call(get(path)))?.text ?? "") as object;
    for (const read of [ofTill, ofVsdc]) {
      const { endpoints } = (await read("/environment-parameters")) as { endpoints: Record<string, string> };
      expect(endpoints.vsdc).toBe(vsdc.url);
      const { taxAuthorityApi = "" } = (await read("/status")) as { taxAuthorityApi?: string };
      expect(`${taxAuthorityApi}/`.replace(/\/+$/, "/")).toBe(`${endpoints.taxAuthorityApi}/`.replace(/\/+$/, "/"));
    }
    if ("authority" in given) {
      await world.do({ authority: { configure: "fj" } });
      expect(await ofVsdc("/environment-parameters")).toMatchObject({ country: "FJ", endpoints: { vsdc: vsdc.url } });
    }
  },
);

it("a receipt of the online service is signed without a card, a reader or a PIN at the till", async () => {
  const { world, sell } = await open({ card: { inserted: false, pinVerified: false } });
  world.reader.unplug();
  expect(await sell()).toMatchObject({ totalCounter: 1 });
});

it("a receipt of the online service is the same one for a repeated RequestId, which finds it later, too", async () => {
  const { call, sell } = await open();
  const first = await sell({ RequestId: "web-1" });
  expect(await sell({ RequestId: "web-1" }, undefined)).toMatchObject({ invoiceNumber: first.invoiceNumber });
  const stored = await call(get("/invoices/web-1"));
  expect(JSON.parse(stored?.text ?? "")).toMatchObject({ invoiceNumber: first.invoiceNumber });
});

it.each([
  ["this service's page", { ownAuthority: true }, {}],
  ["the page of the emulated authority", {}, { authority: {} }],
])("a receipt of the online service is valid at %s, with its text", async (_, options, given) => {
  const { world, sell } = await open(given, options);
  const { verificationUrl, journal } = await sell();
  const { pathname, search } = new URL(verificationUrl);
  const verdict = await callService(world.url, "GET", pathname + search, { headers: { Accept: "application/json" } });
  expect(verdict.json()).toMatchObject({
    isValid: true,
    invoiceRequest: { taxId: "100000001" },
    invoiceResult: { signedBy: "TSVSDCO0" },
    journal,
  });
  const page = await callService(world.url, "GET", pathname + search, {
    headers: { Accept: "text/html", "Accept-Language": "sr-Latn-RS" },
  });
  expect(page.text).toContain("onlajn servis TSVSDCO0");
  if ("authority" in given) expect(verificationUrl).toContain(world.taxAuthority?.url);
  else expect(verificationUrl).toContain(world.url);
});

it("a receipt of the online service is decoded with the signer's certificate and the taxpayer's TIN", async () => {
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

it.each([
  ["other rates", {}],
  ["none", { environment: "none" }],
])("a receipt of the online service has the rates that the authority has now, after it had %s", async (_, given) => {
  const { world, call } = await open({ authority: {}, ...given });
  await world.do({ authority: { configure: "cyrillic" } });
  const status = await call(get("/status"));
  expect(status?.text).toContain('"label":"Ђ"');
});

it("the online service with a data folder goes on counting after a restart, and its store proves every receipt", async () => {
  const dataDir = temporaryFolder();
  const first = await open({ clock: { at: "2026-01-05T12:00:00Z" } }, { dataDir });
  await first.sell({ RequestId: "web-1" });
  await first.world.close();
  const second = await open({ clock: { at: "2026-01-05T13:00:00Z" } }, { dataDir });
  const stored = await second.call(get("/invoices/web-1"));
  expect(stored).toMatchObject({ status: 200 });
  expect(await second.sell()).toMatchObject({ totalCounter: 2 });
  // The certificate and the address of the first run still work.
  const before = { ...first.address, url: second.vsdc.url };
  expect(await onlineCall(before, get("/attention"))).toMatchObject({ status: 200 });
  await second.world.close();
  const { verdict } = await checkStore(join(dataDir, "vsdc"));
  expect(verdict).toMatchObject({ entries: 2, findings: [] });
  const days = ["--from", "2026-01-05", "--to", "2026-01-05"];
  const { stdout } = await tillseal(["report", ...days, "--data-dir", join(dataDir, "vsdc")]);
  expect(stdout).toMatch(/Last number: +TESTCARD-TSVSDCO0-2\n[\s\S]*Receipts: +2\n/);
});

it("the online service is found by its client certificate, which has the taxpayer's names and the authority's extensions", async () => {
  const { call, world } = await open();
  const { certificate } = world.look("vsdc");
  const { subject } = new X509Certificate(certificate);
  for (const name of ["serialNumber=TESTCARD", "O=Tillseal Test d.o.o.", "OU=1234567-Test Shop 1", "C=RS"]) {
    expect(subject).toContain(name);
  }
  const file = join(temporaryFolder(), "client.pem");
  writeFileSync(file, certificate);
  const shown = openssl("x509", "-in", file, "-noout", "-text");
  const extension = (place: number) => new RegExp(`49952\\.5\\.8\\.${place}: *\n *(\\S+)\n`).exec(shown)?.[1];
  const parameters = JSON.parse((await call(get("/environment-parameters")))?.text ?? "") as {
    endpoints: { taxAuthorityApi: string };
  };
  expect(extension(5)).toBe(parameters.endpoints.taxAuthorityApi);
  expect(extension(6)).toBe("100000001");
  expect(extension(7)).toBe(world.vsdc?.url);
});

it("the online service answers in the form of devices, and the tax rates to everybody", async () => {
  const { call, sell, world } = await open();
  expect(await sell()).toMatchObject({ verificationQRCode: expect.stringMatching(/^R0lGOD/) });
  const { ca } = world.look("vsdc");
  const rates = await httpCall(world.vsdc?.url ?? "", get("/tax-rates"), new Agent({ ca }));
  const status = JSON.parse((await call(get("/status")))?.text ?? "") as {
    currentTaxRates: object;
    allTaxRates: object;
  };
  expect(JSON.parse(rates?.text ?? "")).toEqual({
    currentTaxRates: status.currentTaxRates,
    allTaxRates: status.allTaxRates,
  });
});

it("the online service has only the paths that such a service has", async () => {
  const { call } = await open();
  for (const path of ["/attention", "/status", "/environment-parameters"]) {
    expect(await call(get(path)), path).toMatchObject({ status: 200 });
  }
  for (const path of ["/api/v3/pin", "/api/v3/test-invoice", "/console/till", "/"]) {
    const answer = await call({ method: "POST", path, headers: JSON_HEADERS, body: Buffer.from("{}") });
    expect(answer, path).toMatchObject({ status: 404 });
    expect(JSON.parse(answer?.text ?? "")).toMatchObject({ Message: "Not found" });
  }
  // The last invoice of the authority's element may be another taxpayer's.
  expect(await call(get("/invoices"))).toMatchObject({ status: 404 });
});

it("the online service refuses a client without a certificate, or with one that the authority did not issue", async () => {
  const { world, address } = await open();
  const { ca, pac } = address;
  const request = post({ PAC: pac });
  const none = await httpCall(address.url, request, new Agent({ ca }));
  expect(none).toMatchObject({ status: 403 });
  expect(none?.text).toContain("no client certificate");
  const foreign = await httpCall(address.url, request, new Agent({ ca, ...foreignIdentity() }));
  expect(foreign).toMatchObject({ status: 403 });
  expect(foreign?.text).toContain("another authority issued it");
  expect(world.vsdc?.element.memory.load().totalCounter).toBe(0);
});

it("the online service refuses a missing or wrong PAC with an error that names it, and keeps the PAC out of the traffic log", async () => {
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

it("the online service refuses a UID that the authority does not know", async () => {
  const { vsdc, call } = await open();
  const stranger = { url: vsdc.url, ...vsdc.accessFor("STRANGER") };
  expect(await onlineCall(stranger, post())).toMatchObject({ status: 403 });
  expect(await call(post())).toMatchObject({ status: 200 });
});

it("the control interface has the files of the client and changes the faults, if there is an online service", async () => {
  const till = await openedEmulator({ given: { vsdc: {} } });
  const call = (path: string) => callService(till.controlUrl, "GET", `/control/vsdc${path}`);
  const control = (body: object) =>
    callService(till.controlUrl, "POST", "/control/do", { headers: JSON_HEADERS, body });
  const record = (await call("")).json();
  expect(record).toMatchObject({ uid: "TESTCARD", pac: "A1B2C3", faults: { down: false, delay: "0s" } });
  expect((await call("/client.pem")).text).toBe(`${record.certificate}${record.key}`);
  expect((await call("/ca.pem")).text).toBe(record.ca);
  expect((await control({ vsdc: { down: true } })).json()).toMatchObject({ faults: { down: true, revoked: false } });
  expect((await control({ vsdc: { gone: true } })).status).toBe(400);
  const without = await openedEmulator();
  const answer = await callService(without.controlUrl, "GET", "/control/vsdc");
  expect(answer).toMatchObject({ status: 404 });
  expect(answer.text).toContain("--vsdc");
  await expect(without.onlineService()).rejects.toThrow("no online service");
});

it("a fault of the online service revoked: every request is refused until the fault is gone", async () => {
  const { world, call } = await open({ vsdc: { faults: { revoked: true } } });
  expect(await call(get("/attention"))).toMatchObject({ status: 403 });
  world.requireVsdc().setFaults("clear");
  expect(await call(get("/attention"))).toMatchObject({ status: 200 });
});

it("a fault of the online service down: no answer comes, and nothing is signed", async () => {
  const { world, vsdc, call } = await open({ vsdc: { faults: { down: true } } });
  expect(await call(post())).toBeUndefined();
  expect(vsdc.element.memory.load().totalCounter).toBe(0);
  world.requireVsdc().setFaults({ down: false });
  expect(await call(post())).toMatchObject({ status: 200 });
});

it("a fault of the online service loseAnswers: the invoice is signed, and a repeat with its RequestId gets the receipt", async () => {
  const { world, vsdc, call, sell } = await open({ vsdc: { faults: { loseAnswers: true } } });
  expect(await call(post({ RequestId: "web-2" }))).toBeUndefined();
  expect(vsdc.element.memory.load().totalCounter).toBe(1);
  world.requireVsdc().setFaults("clear");
  expect(await sell({ RequestId: "web-2" })).toMatchObject({ totalCounter: 1 });
});

it("a fault of the online service delay: the answer comes later, on the emulated clock", async () => {
  const { world, sell } = await open({ clock: { ticking: false }, vsdc: { faults: { delay: "20s" } } });
  const before = world.clock.now();
  await sell();
  expect(world.clock.now() - before).toBe(20_000);
});
