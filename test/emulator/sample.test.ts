/** Sample invoices are valid everywhere, the same for the same seed, and streamed. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { SAMPLE_TYPES, sampleInvoiceLines } from "../../harness/sample/sample-invoices.js";
import { sellSample } from "../../harness/sample/sell-sample.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { parseScaled } from "../../src/fiscal/money.js";
import { parseJson } from "../../src/http/body.js";
import { listen, urlOf } from "../../src/http/listen.js";
import { invoiceReader } from "../../src/http/read-invoice.js";
import { tillseal } from "../support/command.js";
import { openedEmulator } from "../support/control.js";

const ENVIRONMENTS = readdirSync(join(PACKAGE_ROOT, "fixtures", "environments")).map((file) =>
  file.replace(".yaml", ""),
);

async function lines(options: Partial<Parameters<typeof sampleInvoiceLines>[0]> = {}): Promise<string[]> {
  const all: string[] = [];
  const wanted = { count: 20, seed: "s", types: [], environment: "specification", ...options };
  for await (const line of sampleInvoiceLines(wanted)) all.push(line);
  return all;
}

it("sampled invoices are accepted by the service for any seed, their lines and payments add up, and amounts have no stray digits", async () => {
  const read = invoiceReader({ negativeItems: false });
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.constantFrom(...ENVIRONMENTS), async (seed, environment) => {
      for (const line of await lines({ seed, environment, types: SAMPLE_TYPES })) {
        const { items, payment } = read(parseJson(line));
        const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
        expect(sum(payment.map(({ amount }) => amount))).toBe(sum(items.map(({ totalAmount }) => totalAmount)));
        for (const { quantity, unitPrice, totalAmount } of items) {
          const off = (quantity * unitPrice) / 10_000n - totalAmount;
          expect(off >= -parseScaled("0.005") && off <= parseScaled("0.005")).toBe(true);
        }
        expect(line).not.toMatch(/\.\d{4}/);
      }
    }),
    { numRuns: 25 },
  );
});

it.each(ENVIRONMENTS)(
  "sampled invoices are signed for all ten pairs of types with the rates of %s",
  async (environment) => {
    const till = await openedEmulator({ given: { environment, card: { pinVerified: true } } });
    for (const type of SAMPLE_TYPES) {
      const [body = ""] = await lines({ count: 1, types: [type], environment });
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(`${till.url}/api/v3/invoices`, { method: "POST", headers, body });
      expect([type, answer.status, await answer.text()]).toEqual([
        type,
        200,
        expect.stringContaining("verificationUrl"),
      ]);
    }
    expect(till.card.state.counters).toMatchObject({ total: 10, NS: 1, NR: 1, PS: 1, CR: 1, TS: 1, AR: 1 });
  },
);

it("sampled invoices are the same for the same seed, and different for another", async () => {
  expect(await lines()).toEqual(await lines());
  expect(await lines({ seed: "t" })).not.toEqual(await lines());
  expect(new Set(await lines()).size).toBe(20);
});

it("sampled invoices have GTINs with GS1's check digit, and Cyrillic names when the labels are Cyrillic", async () => {
  const text = (await lines({ environment: "cyrillic", count: 50 })).join("");
  const gtins = [...text.matchAll(/"gtin":"(\d{13})"/g)].map(([, gtin = ""]) => gtin);
  expect(gtins.length).toBeGreaterThan(20);
  for (const gtin of gtins) {
    const weighted = [...gtin].reduce((sum, digit, i) => sum + Number(digit) * (i % 2 === 0 ? 1 : 3), 0);
    expect(weighted % 10).toBe(0);
  }
  expect(text).toMatch(/"name":"\p{Script=Cyrillic}/u);
});

it.each(["specification", "cyrillic"])(
  "tillseal sample sale prints an ordinary receipt with a label in force, with the rates of %s",
  async (environment) => {
    const till = await openedEmulator({ given: { environment } });
    const { status, stdout } = await tillseal(["sample", "sale", till.url]);
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/1\/1(NS|ПП)[\s\S]*#\/receipts\/TESTCARD-TESTCARD-1\n$/),
    ]);
    expect(till.card.state.counters).toMatchObject({ total: 1, NS: 1 });
  },
);

it("tillseal sample sale sends neither the PIN nor a sale to a service with a real card", async () => {
  const arrived: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    arrived.push(url);
    response.end(JSON.stringify({ service: "tillseal", card: "pcsc" }));
  });
  await listen(server, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => void server.close());
  const { status, stderr } = await tillseal(["sample", "sale", urlOf(server) ?? ""]);
  expect([status, stderr]).toEqual([1, expect.stringContaining("it has a real card")]);
  expect(arrived).toEqual(["/console/info"]);
});

it("tillseal sample sale names the code of a refused PIN", async () => {
  const till = await openedEmulator();
  const { status, stderr } = await tillseal(["sample", "sale", till.url, "--pin", "0000"]);
  expect([status, stderr]).toEqual([1, expect.stringContaining("codes 1500, 2100")]);
});

it("tillseal sample invoice prints the requested number of lines with the requested types", async () => {
  const args = "sample invoice --count 3 --type copy-sale advance-refund".split(" ");
  const { status, stdout } = await tillseal(args);
  expect(status).toBe(0);
  const invoices = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { invoiceType: string });
  expect(invoices).toHaveLength(3);
  for (const { invoiceType } of invoices) expect(["Copy", "Advance"]).toContain(invoiceType);
});

it("tillseal sample invoice ends quietly when its reader closes the pipe", async () => {
  const command = `"${process.execPath}" dist/src/cli.js sample invoice --count 1000000 | head -1`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["-o", "pipefail", "-c", command], {
    cwd: PACKAGE_ROOT,
  });
  expect([stdout.trim().split("\n").length, stderr]).toEqual([1, ""]);
});

it("a sale whose answer is lost is not taken for a service that is not there", async () => {
  const till = await openedEmulator({ given: { card: { pinVerified: true } } });
  till.fault({ on: "answer", kind: "connectionDropped", nth: 1 });
  await expect(sellSample(till.url, "1234")).rejects.toThrow(
    `the connection to ${till.url} was cut before the answer; the sale may have been signed: see ${till.url}/#/receipts`,
  );
});
