/** Taxes and times of invoices that refer to another one: Copy and Refund. */
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { openTill, sale } from "../support/till.js";

const NUMBER = "TESTCARD-TESTCARD-1";

describe("an invoice that refers to another one", () => {
  it("taxes a Refund with the rates of the original invoice", async () => {
    let now = Date.UTC(2021, 0, 1);
    const till = await openTill({ environment: "cyrillic", now: () => now });
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 118, labels: ["Ђ"], totalAmount: 118 }];
    const { invoiceNumber } = (await till.sell(sale({ items }))).json();
    now = Date.UTC(2026, 0, 1);
    const refund = { items, transactionType: "Refund", referentDocumentNumber: invoiceNumber };
    // Looked up in the store: the rate was 18 % then.
    const looked = (await till.sell(sale(refund))).json();
    expect(looked).toMatchObject({ taxGroupRevision: 1, taxItems: [{ rate: 18, amount: 18 }] });
    // Sent by the caller.
    const dated = await till.sell(sale({ ...refund, referentDocumentDT: "2023-01-01T00:00:00Z" }));
    expect(dated.json()).toMatchObject({ taxGroupRevision: 5, taxItems: [{ rate: 20, amount: 19.6667 }] });
    // A time before any rates.
    const early = await till.sell(sale({ ...refund, referentDocumentDT: "1999-01-01T00:00:00Z" }));
    expect(early.json()).toMatchObject({
      code: "2804",
      modelState: [{ property: "referentDocumentDT", errors: ["2804"] }],
    });
  });

  it("taxes a Copy of a Refund as the Refund was taxed", async () => {
    let now = Date.UTC(2021, 0, 1);
    const till = await openTill({ environment: "cyrillic", now: () => now });
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 118, labels: ["Ђ"], totalAmount: 118 }];
    const { invoiceNumber } = (await till.sell(sale({ items }))).json();
    now = Date.UTC(2026, 0, 1);
    const refund = { items, transactionType: "Refund" };
    const refunded = (await till.sell(sale({ ...refund, referentDocumentNumber: invoiceNumber }))).json();
    const copy = { ...refund, invoiceType: "Copy", referentDocumentNumber: refunded.invoiceNumber };
    const copied = (await till.sell(sale(copy))).json();
    expect(copied).toMatchObject({ taxGroupRevision: 1, taxItems: refunded.taxItems });
  });

  it("prints the POS time and the referenced invoice's time only when the POS sent them", async () => {
    const till = await openTill({ environment: "cyrillic", now: () => Date.UTC(2026, 0, 1) });
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 120, labels: ["Ђ"], totalAmount: 120 }];
    const sold = (await till.sell(sale({ items }))).json();
    expect(sold.journal).not.toContain("ЕСИР време:");
    const refund = sale({ items, transactionType: "Refund", referentDocumentNumber: sold.invoiceNumber });
    // The store knows the time of the sale, but the POS did not send it.
    expect((await till.sell(refund)).json().journal).not.toContain("Реф. време:");
    const times = { dateAndTimeOfIssue: "2025-12-31T23:00:00Z", referentDocumentDT: "2025-12-31T22:00:00Z" };
    const { journal } = (await till.sell({ ...refund, ...times })).json();
    expect(journal).toContain("\r\nЕСИР време:          01.01.2026. 0:00:00\r\n");
    expect(journal).toContain("\r\nРеф. време:         31.12.2025. 23:00:00\r\n");
  });

  it("taxes a Copy or a Refund with today's rates and warns when the original's time is unknown", async () => {
    const logged: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(line) });
    const till = await openTill({ environment: "cyrillic", log });
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 120, labels: ["Ђ"], totalAmount: 120 }];
    const sold = await till.sell(sale({ items }));
    const foreign = "OTHERUID-OTHERUID-77";
    const refund = sale({ items, transactionType: "Refund", referentDocumentNumber: foreign });
    const refunded = await till.sell(refund, { RequestId: "refund-1" });
    expect(refunded.headers.warning).toMatch(/^299 - "[\x20\x21\x23-\x5b\x5d-\x7e]*today's rates[^"\\]*"$/);
    expect(refunded.json()).toMatchObject({ messages: "Success", taxGroupRevision: 5 });
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? "")).toMatchObject({ requestId: "refund-1", referentDocumentNumber: foreign });
    // The stored answer repeats the warning, the log does not.
    const repeated = await till.sell(refund, { RequestId: "refund-1" });
    const stored = await till.call("GET", "/api/v3/invoices/refund-1");
    expect([repeated, stored].map(({ headers }) => headers.warning)).toEqual(Array(2).fill(refunded.headers.warning));
    expect(logged).toHaveLength(1);
    // No warning when the store or the POS knows the time, or for a sale.
    const copy = sale({ items, invoiceType: "Copy", referentDocumentNumber: sold.json().invoiceNumber });
    const datedRefund = { ...refund, referentDocumentDT: "2023-01-01T00:00:00Z" };
    const quiet = [sold, await till.sell(copy), await till.sell(datedRefund)];
    expect(quiet.map(({ status, headers }) => [status, headers.warning])).toEqual(Array(3).fill([200, undefined]));
  });

  it("refuses a referentDocumentDT in the future, with some tolerance for the POS's clock", async () => {
    const now = Date.UTC(2022, 3, 30, 21, 58);
    const items = [{ name: "Кафа", quantity: 1, unitPrice: 118, labels: ["Ђ"], totalAmount: 118 }];
    const refund = { items, transactionType: "Refund", referentDocumentNumber: NUMBER };
    const at = (seconds: number) =>
      sale({ ...refund, referentDocumentDT: new Date(now + seconds * 1000).toISOString() });
    const till = await openTill({ environment: "cyrillic", now: () => now });
    expect((await till.sell(at(301))).json()).toMatchObject({
      code: "2804",
      modelState: [{ property: "referentDocumentDT", errors: ["2804"] }],
    });
    expect(till.cardState().totalCounter).toBe(0);
    // Other rates apply in two minutes, but tax nothing before that.
    expect((await till.sell(at(300))).json()).toMatchObject({ taxGroupRevision: 1, taxItems: [{ rate: 18 }] });
    const strict = await openTill({ settings: { clockDrift: 0 }, environment: "cyrillic", now: () => now });
    expect((await strict.sell(at(1))).json()).toMatchObject({ code: "2804" });
    expect((await strict.sell(at(0))).status).toBe(200);
  });
});
