/** The page behind a receipt's QR code: the emulated authority's verdict on genuine, altered and foreign URLs. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { Given } from "../../emulator/world/given.js";
import { World } from "../../emulator/world/world.js";
import { decodeVerificationUrl, verificationUrl } from "../../src/fiscal/verification-url.js";
import { serve } from "../support/command.js";
import { RECORDED_URLS } from "../support/recorded.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const ITEM = { name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 };

interface VerificationAnswer {
  readonly isValid: boolean;
  readonly checks: object;
  readonly journal: string | null;
}

async function open(given: Given = {}, ownAuthority = true) {
  const world = await World.open({ ...given, card: { pinVerified: true, ...given.card } }, { ownAuthority });
  onTestFinished(() => world.close());
  const sell = async (invoice: object = {}) => {
    const answer = await callService(world.url, "POST", "/api/v3/invoices", {
      headers: JSON_HEADERS,
      body: { ...sale(), ...invoice },
    });
    return answer.json<{ verificationUrl: string; journal: string; invoiceNumber: string }>();
  };
  const verdict = async (url: string) => {
    const path = url.replace(/^https?:\/\/[^/]+/, "");
    const answer = await callService(world.url, "GET", path, { headers: { Accept: "application/json" } });
    return { status: answer.status, ...answer.json<VerificationAnswer>() };
  };
  return { world, sell, verdict };
}

interface Sold {
  readonly verificationUrl: string;
}

/** A sale and the environment, requested under a host name; undefined: without one. */
async function sellAt(world: World, host: string | undefined) {
  const call = (method: string, path: string, body = "") =>
    new Promise<string>((resolve, reject) => {
      const headers = { ...JSON_HEADERS, ...(host === undefined ? {} : { Host: host }) };
      const options = { method, headers, setHost: false, agent: false };
      const sent = request(new URL(`/api/v3/${path}`, world.url), options, (answer) => resolve(text(answer)));
      sent.on("error", reject).end(body);
    });
  return {
    sold: JSON.parse(await call("POST", "invoices", JSON.stringify(sale()))) as Sold,
    parameters: JSON.parse(await call("GET", "environment-parameters")) as { endpoints: { root: string } },
  };
}

it("the address in a QR code leads to the emulated authority, which confirms the receipt to a person and to a program", async () => {
  const { sell } = await open();
  const {
    verificationUrl: url,
    journal,
    invoiceNumber,
  } = await sell({
    buyerId: "10:123",
    dateAndTimeOfIssue: "2026-03-01T08:00:00.000Z",
    items: [{ ...ITEM, name: "<b>Кафа</b>" }],
  });
  const html = await fetch(url, { headers: { Accept: "text/html" } });
  expect(html.headers.get("content-security-policy")).toContain("default-src 'none'");
  const page = await html.text();
  expect(page).toContain("This receipt is valid");
  expect(page).toContain("&lt;b&gt;Кафа&lt;/b&gt;");
  expect(page).not.toContain("<b>");
  const json = await fetch(url, { headers: { Accept: "application/json" } });
  const [requestedBy, signedBy] = invoiceNumber.split("-");
  expect(await json.json()).toEqual({
    invoiceRequest: {
      posTime: "2026-03-01T08:00:00.000Z",
      taxId: "100000001",
      businessName: "Tillseal Test d.o.o.",
      locationName: "1234567-Test Shop 1",
      address: "Test Street 1",
      city: "Test-District",
      administrativeUnit: "Test-District",
      cashier: "Cashier 1",
      buyer: "10:123",
      requestedBy,
      invoiceType: 0,
      transactionType: 0,
      payments: [{ amount: 100, paymentType: 1 }],
    },
    invoiceResult: {
      invoiceNumber,
      totalAmount: 100,
      totalCounter: 1,
      transactionTypeCounter: 1,
      invoiceCounterExtension: expect.stringMatching(/^\p{L}{2}$/u),
      signedBy,
      sdcTime: expect.any(String),
    },
    checks: { hash: true, signature: true, internalData: true },
    journal,
    isValid: true,
  });
});

it.each([
  ["sr-Cyrl-RS", "Овај рачун је исправан", "Промет Продаја", "100,00"],
  ["sr-Latn", "Ovaj račun je ispravan", "Promet Prodaja", "100,00"],
  ["de, sr;q=0.5", "Овај рачун је исправан", "Промет Продаја", "100,00"],
  ["de", "This receipt is valid", "Normal Sale", "100.00"],
])(
  "the address in a QR code shows the reader's language and the receipt's time: %s",
  async (language, verdictText, kind, amount) => {
    const { sell } = await open({ settings: { languages: ["sr-Cyrl-RS"] } });
    const { verificationUrl: url, journal } = await sell({ items: [ITEM] });
    const page = await (await fetch(url, { headers: { Accept: "text/html", "Accept-Language": language } })).text();
    for (const text of [verdictText, kind, amount]) expect(page).toContain(text);
    const printed = /(\d\d\.\d\d\.\d{4}\. \d{1,2}:\d\d:\d\d)/.exec(journal)?.[1];
    expect(printed).toBeDefined();
    expect(page).toContain(`<td>${printed} (`);
    expect(page).toContain(
      `<html lang="${language === "de" ? "en-US" : language === "sr-Latn" ? "sr-Latn-RS" : "sr-Cyrl-RS"}">`,
    );
  },
);

it("the address in a QR code is valid with 512 bytes of internal data, too", async () => {
  const { sell, verdict } = await open({ card: { internalDataBytes: 512 } });
  expect(await verdict((await sell()).verificationUrl)).toMatchObject({ isValid: true });
});

it("the address in a QR code is never valid after any alteration, and then shows no receipt", async () => {
  const { sell, verdict } = await open();
  const { verificationUrl: url } = await sell();
  const [root = "", encoded = ""] = url.split("vl=");
  const bytes = Buffer.from(decodeURIComponent(encoded), "base64");
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const altered = Buffer.from(bytes);
      altered[at] = (altered[at] ?? 0) ^ change;
      const answer = await verdict(`${root}vl=${encodeURIComponent(altered.toString("base64"))}`);
      expect(answer.status === 400 || (answer.isValid === false && answer.journal === null)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it("the address in a QR code with another amount and a recomputed hash fails at signature and internal data", async () => {
  const { sell, verdict } = await open();
  const decoded = decodeVerificationUrl((await sell()).verificationUrl);
  const forged = verificationUrl("/v/?vl=", { ...decoded, totalAmount: 1n });
  expect(await verdict(forged)).toMatchObject({
    isValid: false,
    checks: { hash: true, signature: false, internalData: false },
  });
});

it("the address in a QR code of an unregistered card is not valid, and its signature is not checked", async () => {
  const { verdict } = await open();
  expect(await verdict(RECORDED_URLS[0].url)).toMatchObject({
    isValid: false,
    checks: { hash: true, signature: null },
    invoiceRequest: { taxId: null },
  });
});

it.each(["/v/", "/v/?vl=", "/v/?vl=%", "/v/?vl=abc", "/v/?vl=1&vl=2", `/v/?vl=${"A".repeat(2000)}`])(
  "the address in a QR code is refused with an explanation when it is malformed: %s",
  async (path) => {
    const { world } = await open();
    const answer = await callService(world.url, "GET", path, { headers: { Accept: "text/html" } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("Not a receipt")]);
  },
);

it.each([
  ["/v/", "sr-Cyrl-RS", "адреса нема параметар vl, који има QR код рачуна"],
  ["/v/?vl=%25", "sr-Latn-RS", "nema base64 podataka: očekuje se adresa sa ?vl=… ili sam base64 tekst"],
  ["/v/?vl=abc", "sr-Latn-RS", "adresa je odsečena; bajtova: 2"],
  [`/v/?vl=${"Aw".repeat(1000)}`, "sr-Cyrl-RS", "непозната врста рачуна"],
  ["/v/?vl=abc", "en", "only 2 bytes: cut short"],
])("the address in a QR code is refused in the reader's language: %s in %s", async (path, language, sentence) => {
  const { world } = await open();
  const headers = { Accept: "text/html", "Accept-Language": language };
  expect((await callService(world.url, "GET", path, { headers })).text).toContain(sentence);
  const program = { Accept: "application/json", "Accept-Language": language };
  const { message } = (await callService(world.url, "GET", path, { headers: program })).json<{ message: string }>();
  expect(message).toMatch(/^[ -~…]+$/);
});

it("the address in a QR code comes from the environment when that names an existing address, or when ours is not wanted", async () => {
  expect((await (await open({}, false)).sell()).verificationUrl).toMatch(/^https:\/\/tax-authority\.test\/v\/\?vl=/);
  const sandbox = await (await open({ environment: "sandbox" })).sell({
    items: [{ ...ITEM, labels: ["F"] }],
  });
  expect(sandbox.verificationUrl).not.toContain("127.0.0.1");
});

it("the address in a QR code is not served to web pages of other sites or under foreign host names", async () => {
  const { world, sell } = await open();
  const path = (await sell()).verificationUrl.replace(/^https?:\/\/[^/]+/, "");
  expect((await callService(world.url, "GET", path, { headers: { "Sec-Fetch-Site": "cross-site" } })).status).toBe(403);
  expect((await callService(world.url, "GET", path, { headers: { Host: "evil.example" } })).status).toBe(403);
});

it.each([
  ["localhost:18431", "http://localhost:18431"],
  ["192.168.1.20", "http://192.168.1.20"],
  ["[fd00::7]:8431", "http://[fd00::7]:8431"],
  ["till.shop:80", "http://till.shop:80"],
])("the address in a QR code uses the host that the POS called: %s", async (host, address) => {
  const { world } = await open({ settings: { allowedHosts: ["till.shop"] } });
  const { sold, parameters } = await sellAt(world, host);
  expect(sold.verificationUrl).toMatch(`${address}/v/?vl=`);
  expect(parameters.endpoints.root).toBe(`${address}/v/?vl=`);
});

it.each([undefined, "evil.example/x?y=", "user@evil.example", "a b"])(
  "the address in a QR code uses this machine's host when the POS names none that is valid: %s",
  async (host) => {
    const { world } = await open({ settings: { allowedHosts: ["*"] } });
    const { sold } = await sellAt(world, host);
    expect(sold.verificationUrl).toMatch(`http://localhost:${new URL(world.url).port}/v/?vl=`);
  },
);

it("the address in a QR code uses the public address of the setting, and is served under that name", async () => {
  const flags = ["--control-port", "0", "--host", "0.0.0.0", "--public-address", "https://till.example:444/shop/"];
  const { url } = await serve(flags);
  const local = url.replace("0.0.0.0", "127.0.0.1");
  await fetch(`${local}/api/v3/pin`, { method: "POST", body: "1234" });
  const sold = (await (await fetch(`${local}/api/v3/test-invoice`, { method: "POST" })).json()) as Sold;
  expect(sold.verificationUrl).toMatch("https://till.example:444/shop/v/?vl=");
  const path = sold.verificationUrl.replace("https://till.example:444/shop", "");
  const headers = { Host: "till.example:444", Accept: "application/json" };
  expect((await callService(local, "GET", path, { headers })).json()).toMatchObject({ isValid: true });
  expect((await callService(local, "GET", "/api/v3/status", { headers })).status).toBe(403);
});

it("the address in a QR code leaves no trace in the traffic log of the till", async () => {
  const { world, sell, verdict } = await open();
  await verdict((await sell()).verificationUrl);
  expect(world.traffic.entries.map(({ path }) => path)).toEqual(["/api/v3/invoices"]);
});
