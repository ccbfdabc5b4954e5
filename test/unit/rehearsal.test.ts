/** A rehearsal that lasts longer than the traffic log remembers. */
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import { expect, it } from "vitest";
import { Rehearsal } from "../../harness/rehearse/rehearsal.js";
import { rehearsalReport } from "../../harness/rehearse/rows.js";
import { htmlReport, REPORTS } from "../../harness/scenario/report.js";
import { systemClock } from "../../src/base/clock.js";
import type { TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import { TrafficLog } from "../../src/http/traffic/traffic-log.js";

const INVOICE = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 1, paymentType: "Cash" }],
  items: [{ name: "Milk", quantity: 1, unitPrice: 1, totalAmount: 1, labels: ["A"] }],
};

function opened() {
  const traffic = new TrafficLog(() => systemClock, systemClock);
  const rehearsal = new Rehearsal();
  rehearsal.follow(traffic, () => undefined);
  const ended = (id: number, fields: Partial<TrafficEntry>) =>
    traffic.emit("ended", {
      ...{ id, at: 0, ms: 1, method: "GET", path: "/api/v3/status", headers: {}, body: "", status: 200 },
      ...{ answerHeaders: {}, answer: "{}", apdus: [], steps: [] },
      ...fields,
    });
  const sale = (id: number, number = id) => {
    const sold = { invoiceNumber: `T-${number}`, sdcDateTime: "2026-01-02T12:00:00Z", totalAmount: 1 };
    const answer = JSON.stringify(sold);
    ended(id, { method: "POST", path: "/api/v3/invoices", body: JSON.stringify(INVOICE), answer });
  };
  return { rehearsal, ended, sale };
}

it("judges requests of long ago, in the order in which they came, and each receipt once", async () => {
  const { rehearsal, ended, sale } = opened();
  ended(1, {});
  for (let id = 2; id <= 250; id++) sale(id);
  // This one waited long for its answer.
  sale(252);
  sale(251);
  sale(253, 3);
  // Older requests are compressed meanwhile: their turn came earlier.
  await promisify(deflateRaw)(Buffer.alloc(8_000_000));
  const state = rehearsal.rows.find(({ id }) => id === "OPS-002-STATE");
  expect(state).toMatchObject({ outcome: "passed", exchange: [{ id: 1 }, { id: 2 }] });
  expect(rehearsal.requests.map(({ id }) => id)).toEqual(Array.from({ length: 253 }, (_, i) => i + 1));
  const isNew = rehearsal.requests.filter(({ signed }) => signed).map(({ id }) => id);
  expect([isNew.length, isNew.includes(3), isNew.includes(253)]).toEqual([251, true, false]);
  sale(254);
  expect(rehearsal.requests.map(({ answer }) => answer).at(-1)).toMatchObject({ invoiceNumber: "T-254" });
  expect(rehearsal.requests).toHaveLength(254);
});

it("judges and draws whatever another maker's service accepts and answers", () => {
  const { rehearsal, ended } = opened();
  const post = (id: number, status: number, invoice: object, answer: object) =>
    ended(id, {
      method: "POST",
      path: "/api/v3/invoices",
      status,
      body: JSON.stringify(invoice),
      answer: JSON.stringify(answer),
    });
  post(1, 400, INVOICE, { code: 2310, message: 5, modelState: [null] });
  const items = ["****", { ...INVOICE.items[0], quantity: "****", unitPrice: {} }];
  const buyer = { buyerId: "10:1", payment: ["****"], items };
  post(2, 200, { ...INVOICE, ...buyer }, { invoiceNumber: "T-1", journal: 5, verificationUrl: {} });
  post(3, 200, INVOICE, { invoiceNumber: 5, journal: "text" });
  const { rows, requests } = rehearsal;
  expect(requests.map(({ code, signed }) => code ?? signed)).toEqual([false, true, false]);
  expect(htmlReport(rehearsalReport(rows, requests, "now"))).toContain(
    "Normal Sale with a buyer</figcaption><p>not seen",
  );
});

it.each(Object.entries(REPORTS))("tells once above the list what was refused, in the form %s", (_, write) => {
  const { rehearsal, ended } = opened();
  const answer = JSON.stringify({ code: "2806", message: "<too> long" });
  ended(7, { method: "POST", path: "/api/v3/invoices", status: 400, body: JSON.stringify(INVOICE), answer });
  const { rows, refused, requests } = { ...rehearsal.since(0), requests: rehearsal.requests };
  expect(refused).toMatch(/^request 7: .*too. long$/);
  const report = write({ ...rehearsalReport(rows, requests, "now"), rows: rows.slice(0, 1) });
  expect(report.match(/request 7: POST .*too.{1,4} long/g)).toHaveLength(1);
});

it("notes what the service accepts at each request, and says why there is no request", () => {
  const { rehearsal, ended, sale } = opened();
  ended(1, { status: 403 });
  expect(rehearsal.whyEmpty).toContain("1 requests were refused with 403");
  sale(2);
  expect([rehearsal.notesOf(1), rehearsal.notesOf(2)]).toEqual([[], [expect.stringMatching(/^no RequestId/)]]);
  rehearsal.begin();
  expect([rehearsal.notesOf(2), rehearsal.whyEmpty]).toEqual([[], expect.stringContaining("DELETE")]);
});

it("keeps at most 10,000 requests, the newest", () => {
  const { rehearsal, ended } = opened();
  for (let id = 1; id <= 10_150; id++) ended(id, {});
  const ids = rehearsal.requests.map(({ id }) => id);
  expect(ids.length).toBeLessThanOrEqual(10_000);
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => 10_151 - ids.length + i));
  expect(ids.length).toBeGreaterThan(9800);
});
