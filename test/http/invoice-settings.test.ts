/** Settings that change which invoices are accepted and how receipts look. */
import { expect, it } from "vitest";
import type { Settings } from "../../src/config/settings.js";
import { type Answer, item, JSON_HEADERS, openTill, sale } from "../support/till.js";

it("POST /api/v3/test-invoice takes everything from the body except the types", async () => {
  const till = await openTill({ environment: "cyrillic" });
  const body = sale({ cashier: "Ana", items: [item("Чај", 5, "Е")] });
  const answer = await till.call("POST", "/api/v3/test-invoice", { headers: JSON_HEADERS, body });
  expect(answer.json()).toMatchObject({ invoiceCounterExtension: "ОП", totalAmount: 5 });
  expect(answer.json().journal).toContain("Ana");
});

/** Lines of the journal of a sale of 1,234.50 for label А or A. */
async function printed(environment: string, label: string, settings: Partial<Settings> = {}): Promise<string[]> {
  const till = await openTill({ environment, settings });
  const items = [{ name: "Tea", quantity: 1, unitPrice: 1234.5, labels: [label], totalAmount: 1234.5 }];
  const { journal } = (await till.sell(sale({ items }))).json<{ journal: string }>();
  return journal.split("\r\n").slice(0, -1);
}

it("receipts of a country have English numbers in English, and wherever the setting says so", async () => {
  const fiji = await printed("fj", "A");
  expect(fiji).toContain("Total Purchase:                 1,234.50");
  expect(fiji.find((line) => line.startsWith("SDC Time:"))).toMatch(/ \d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/);
  const serbia = await printed("cyrillic", "А");
  expect(serbia).toContain("Укупан износ:                   1.234,50");
  const english = await printed("cyrillic", "А", { numberForm: "point" });
  expect(english).toContain("Укупан износ:                   1,234.50");
  expect(english.find((line) => line.startsWith("ПФР време:"))).toMatch(/ \d\d:\d\d:\d\d$/);
});

it("receipts of a country explain a label in the other script", async () => {
  const till = await openTill({ environment: "cyrillic" });
  const items = [{ name: "Tea", quantity: 1, unitPrice: 5, labels: ["E"], totalAmount: 5 }];
  expect((await till.sell(sale({ items }))).text).toContain(
    "It is Latin E (U+0045); this environment has Cyrillic Е (U+0415)",
  );
});

it("receipts of a country are made with the same form when the text was left out at first", async () => {
  const till = await openTill({ environment: "ba-rs" });
  const items = [{ name: "Tea", quantity: 1, unitPrice: 5, labels: ["Е"], totalAmount: 5 }];
  const options = { omitTextualRepresentation: "1" };
  expect((await till.sell(sale({ items, options }))).json().journal).toBeNull();
  const receipts = await till.call("GET", "/console/receipts");
  const { id } = receipts.json<{ receipts: { id: number }[] }>().receipts[0] ?? { id: 0 };
  expect((await till.call("GET", `/console/receipts/${id}`)).text).toContain('"=========== ФИСКАЛНИ РАЧУН ===========');
});

it("switches negativeItems accepts discounts as long as the total is not negative", async () => {
  const items = [item("Coffee", 100), item("Discount", -10)];
  const strict = await openTill();
  expect((await strict.sell(sale({ items }))).json()).toMatchObject({ code: "2804" });
  const lenient = await openTill({ settings: { negativeItems: true } });
  expect((await lenient.sell(sale({ items }))).json()).toMatchObject({ totalAmount: 90, taxItems: [{ amount: 15 }] });
  expect((await lenient.sell(sale({ items: [item("Discount", -10)] }))).json()).toMatchObject({ code: "2804" });
  // The total is positive, but one category would be negative: the card cannot sign that.
  const mixed = [items[0], item("Discount", -10, "D")];
  expect((await lenient.sell(sale({ items: mixed }))).json()).toMatchObject({ code: "2804" });
  expect(lenient.cardState().totalCounter).toBe(1);
});

it("switches requireReferentTime demands the original's time from a Copy and a Refund", async () => {
  const till = await openTill({ settings: { requireReferentTime: true } });
  const copy = sale({ invoiceType: "Copy", referentDocumentNumber: "TESTCARD-TESTCARD-1" });
  expect((await till.sell(copy)).json()).toMatchObject({
    code: "2800",
    modelState: [{ property: "referentDocumentDT", errors: ["2800"] }],
  });
  expect((await till.sell({ ...copy, referentDocumentDT: "2026-01-01T00:00:00Z" })).status).toBe(200);
});

it("switches journalHeader and answerForm change only the form", async () => {
  const till = await openTill({ settings: { journalHeader: "centred", answerForm: "device" } });
  const body = (await till.sell()).json<Record<string, string>>();
  expect(body.journal).toContain(`\r\n${" ".repeat(15)}100000001${" ".repeat(16)}\r\n`);
  expect(Buffer.from(body.verificationQRCode ?? "", "base64").toString("latin1", 0, 6)).toMatch(/^GIF8[79]a$/);
});

it("switches answerForm device answers the bare code where no field is wrong, and the record where one is", async () => {
  const settings = { answerForm: "device" } as const;
  const till = await openTill({ settings, pinVerified: false });
  const bare = async (answer: Promise<Answer>) => {
    const { status, text, headers } = await answer;
    return [status, text, headers["content-type"]];
  };
  expect(await bare(till.sell())).toEqual([401, "1500", "text/plain; charset=utf-8"]);
  await till.pin();
  const wrong = await till.sell(sale({ items: [] }));
  expect([wrong.status, wrong.json()]).toEqual([400, expect.objectContaining({ code: "2807" })]);
  till.reader.remove();
  const parameters = () => till.call("GET", "/api/v3/environment-parameters");
  expect(await bare(parameters())).toEqual([400, "1300", "text/plain; charset=utf-8"]);
  expect((await till.call("GET", "/console/receipts/1")).json()).toEqual({
    message: "There is no such receipt in this store",
    details: [],
  });
  const bareTill = await openTill({ settings, environment: null });
  expect(await bare(bareTill.sell())).toEqual([400, "2400", "text/plain; charset=utf-8"]);
});

it("switches pathSegment accepts a segment before /api/v3", async () => {
  const till = await openTill({ settings: { pathSegment: "my-token" } });
  expect((await till.call("GET", "/my-token/api/v3/attention")).status).toBe(200);
  expect((await till.call("GET", "/api/v3/attention")).status).toBe(200);
  expect((await till.call("GET", "/other/api/v3/attention")).status).toBe(404);
});
