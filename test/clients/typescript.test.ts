/** The typed client against a service: it returns everything in the OpenAPI document with its type, and nothing else. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  CODES,
  createClient,
  type Fetch,
  type Invoice,
  NoAnswer,
  OPERATIONS,
  submit,
  UnexpectedAnswer,
} from "tillseal/client";
import { expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import { ENDPOINTS } from "../../src/http/endpoints.js";
import { openTill, type TillOptions } from "../support/till.js";

const COFFEE: Invoice = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
};

async function open(options: TillOptions = {}) {
  const till = await openTill(options);
  return { till, client: createClient({ url: till.url }) };
}

/** A server that is not a fiscal service. @returns its address */
async function strange(status: number, body: string): Promise<string> {
  const server = createServer((_, answer) => answer.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Loses the first answers after the service has given them. */
function losing(count: number): { fetch: Fetch; sent: string[] } {
  const sent: string[] = [];
  const fetchAll: Fetch = async (url, init) => {
    sent.push(`${init.headers.RequestId}`);
    const answer = await fetch(url, init);
    if (sent.length <= count) throw new TypeError("terminated");
    return answer;
  };
  return { fetch: fetchAll, sent };
}

it("the typed client has a method for each endpoint", () => {
  expect(Object.keys(OPERATIONS)).toEqual(ENDPOINTS.map(({ name }) => name));
  expect(Object.keys(createClient({ url: "http://localhost:1" }))).toEqual(Object.keys(OPERATIONS));
});

it("the typed client without an address calls the service of TILLSEAL_URL, or the usual port", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const called: string[] = [];
  const fetch: Fetch = async (url) => {
    called.push(url);
    throw new TypeError("terminated");
  };
  for (const url of ["http://till:8430/", undefined]) {
    vi.stubEnv("TILLSEAL_URL", url);
    await expect(createClient({ fetch }).attention()).rejects.toThrow(NoAnswer);
  }
  expect(called).toEqual(["http://till:8430/api/v3/attention", "http://localhost:8431/api/v3/attention"]);
});

it("the typed client returns every answer with its type", async () => {
  const { client } = await open();
  expect(await client.attention()).toMatchObject({ ok: true, status: 200, data: null });
  const status = await client.status();
  if (status.ok) expectTypeOf(status.data.isPinRequired).toEqualTypeOf<boolean>();
  expect(status.ok && status.data.gsc).toContain("0100");
  const environment = await client.environmentParameters();
  expect(environment.ok && environment.data.country).toBe("RS");
  const sale = await client.invoices({ body: COFFEE, headers: { RequestId: "order-1" } });
  if (!sale.ok) throw new Error(sale.error.message);
  expectTypeOf(sale.status).toEqualTypeOf<200>();
  expectTypeOf(sale.data.totalCounter).toEqualTypeOf<number>();
  const path = { requestId: "order-1" };
  expect(await client.invoice({ path })).toMatchObject({ ok: true, data: sale.data });
  const receipt = await client.escPos({ path, query: { paper: "58mm" } });
  expect(receipt.ok && receipt.data).toBeInstanceOf(Uint8Array);
  const test = await client.testInvoice({ headers: { "Accept-Language": "en-US" } });
  expect(test.ok && test.data.journal).toContain("THIS IS NOT A FISCAL INVOICE");
  const repeat = await client.invoices({ body: COFFEE, headers: { RequestId: "order-1" } });
  expect([repeat.header("Idempotent-Replayed"), repeat.header("Warning")]).toEqual(["true", null]);
});

it("the typed client returns a refusal with its code, meaning and action", async () => {
  const { till, client } = await open({ pinVerified: false });
  const locked = await client.invoices({ body: COFFEE });
  if (locked.ok) throw new Error("signed without a PIN");
  expectTypeOf(locked.status).toEqualTypeOf<400 | 401 | 403 | 406 | 500 | 503>();
  expect([locked.status, locked.error.code, CODES[locked.error.code].action]).toEqual([401, "1500", "enter-pin"]);
  expect(await client.pin({ body: "4321" })).toMatchObject({ ok: true, status: 200, data: "2100" });
  expect(await client.pin({ body: { pin: "1234" } })).toMatchObject({ ok: true, data: "0100" });
  const items = [{ ...COFFEE.items[0], labels: ["Q"] }] as Invoice["items"];
  const wrong = await client.invoices({ body: { ...COFFEE, items } });
  expect(wrong).toMatchObject({ ok: false, status: 400, error: { code: "2310" } });
  expect(!wrong.ok && wrong.error.modelState[0]?.property).toBe("items[0].labels[0]");
  expect(await client.invoice({ path: { requestId: "a/b?c" } })).toMatchObject({ ok: false, status: 404 });
  till.reader.remove();
  expect(await client.environmentParameters()).toMatchObject({ ok: false, error: { code: "1300" } });
});

it("the typed client reads refusals and receipts in the form of devices", async () => {
  const { client } = await open({ pinVerified: false, settings: { answerForm: "device" } });
  expect(await client.pin({ body: "4321" })).toMatchObject({ ok: true, status: 423, data: "2100" });
  const locked = await client.invoices({ body: COFFEE });
  expect(locked).toMatchObject({ ok: false, status: 401, error: { code: "1500", message: CODES["1500"].meaning } });
  await client.pin({ body: "1234" });
  const sold = await client.invoices({ body: COFFEE });
  expect(sold.ok && sold.data.verificationQRCode).toMatch(/^R0lGOD/);
  expect(await client.invoices({ body: { ...COFFEE, items: [] } })).toMatchObject({ error: { code: "2807" } });
});

it("the typed client accepts a hosted service's path before the interface", async () => {
  const till = await openTill({ settings: { pathSegment: "token-1" } });
  const client = createClient({ url: `${till.url}/token-1/` });
  expect((await client.status()).ok).toBe(true);
});

it("the typed client repeats a sale with the same RequestId when its answer was lost, and the card signs once", async () => {
  const till = await openTill();
  const { fetch, sent } = losing(2);
  const client = createClient({ url: till.url, fetch });
  expect(await submit(client, COFFEE, "order-1", { pauseMs: 0 })).toMatchObject({ ok: true });
  expect([sent, till.cardState().totalCounter]).toEqual([["order-1", "order-1", "order-1"], 1]);
});

it("the typed client gives up after the last attempt, so that the POS can repeat later", async () => {
  const till = await openTill();
  const { fetch, sent } = losing(2);
  const client = createClient({ url: till.url, fetch });
  await expect(submit(client, COFFEE, "order-1", { attempts: 2, pauseMs: 0 })).rejects.toThrow(NoAnswer);
  expect(sent).toHaveLength(2);
});

it("the typed client throws NoAnswer when nothing listens, and after its time limit", async () => {
  await expect(createClient({ url: "http://127.0.0.1:1" }).status()).rejects.toThrow(NoAnswer);
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => silent.closeAllConnections());
  onTestFinished(() => void silent.close());
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const given = createClient({ url, timeLimitMs: 50 }).status();
  await expect(given).rejects.toMatchObject({ name: "NoAnswer", cause: { name: "TimeoutError" } });
});

it.each([
  [502, "<html>Bad Gateway</html>"],
  [400, '{"message":"Bad Request"}'],
  [500, "null"],
  [404, '"9999"'],
])("the typed client throws on an answer that is not the service's: %s %s", async (status, body) => {
  const call = createClient({ url: await strange(status, body) }).status();
  await expect(call).rejects.toMatchObject({ name: "UnexpectedAnswer", status, text: body });
  await expect(call).rejects.toThrow(UnexpectedAnswer);
});
