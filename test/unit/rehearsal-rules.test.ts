/** Each rule of a rehearsal with traffic that shows it, and traffic that does not. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowsOf } from "../../harness/rehearse/rows.js";
import { RULES } from "../../harness/rehearse/rules.js";
import { needsRounding, roundedProduct } from "../../harness/rehearse/session.js";
import { summary } from "../../harness/scenario/report.js";
import type { SentRequest } from "../../harness/scenario/request-types.js";
import { PAYMENT_TYPES } from "../../src/fiscal/invoice.js";
import { ITEM, Traffic } from "../support/rehearsed.js";

type Play = (traffic: Traffic) => unknown;
type Wrong = readonly [state: "failed" | "not seen", play: Play, says?: string];

const TYPES = ["Normal", "Proforma", "Copy", "Training", "Advance"];
const payments = (...types: string[]) => ({ payment: types.map((paymentType) => ({ amount: 10, paymentType })) });
const ALL_PAYMENTS = payments(...Object.keys(PAYMENT_TYPES));
const item = (fields: object) => ({ items: [{ ...ITEM, ...fields }] });
const weighed = (quantity: number, unitPrice: number, totalAmount: number) =>
  item({ quantity, unitPrice, totalAmount });
const ROUNDED = [weighed(1, 5.1, 5.1), weighed(1, 10.267, 10.27), weighed(1, 20.143, 20.14), weighed(0.123, 9.9, 1.22)];
const ADVANCE = { invoiceType: "Advance" };
const YESTERDAY = { ...ADVANCE, dateAndTimeOfIssue: "2026-01-01T10:00:00Z" };

const each = (fields: readonly object[]) => (traffic: Traffic) => {
  for (const one of fields) traffic.sale({ ...one });
};

const advance =
  (returned = 480): Play =>
  (traffic) => {
    const first = traffic.sale(ADVANCE);
    const second = traffic.about(first, ADVANCE);
    const refund = traffic.about(second, { ...ADVANCE, transactionType: "Refund" }, { totalAmount: returned });
    traffic.about(refund, {});
  };

const IN_BELGRADE = { sdcDateTime: "2026-07-01T12:00:00.000+02:00" };

const refundOf =
  (referentDocumentDT: string): Play =>
  (traffic) => {
    traffic.about(traffic.sale({}, IN_BELGRADE), { transactionType: "Refund", referentDocumentDT }, IN_BELGRADE);
  };

const cancelled =
  (fields: object): Play =>
  (traffic) => {
    traffic.about(traffic.sale(), { transactionType: "Refund", buyerId: "10:1", ...fields });
    traffic.sale();
  };

const cashBack =
  (between: boolean): Play =>
  (traffic) => {
    const refund = traffic.about(traffic.sale(), { transactionType: "Refund" });
    if (between) traffic.sale();
    traffic.about(refund, { invoiceType: "Copy", transactionType: "Refund" });
  };

const samples: Play = (traffic) => {
  for (const invoiceType of TYPES) {
    traffic.sale({ invoiceType });
    for (const transactionType of ["Sale", "Refund"]) traffic.sale({ invoiceType, transactionType, buyerId: "10:2" });
  }
};

const ONLINE = { online: true };

/** A sale at the authority's online service. */
function online(traffic: Traffic, sent: Partial<SentRequest> = {}): void {
  traffic.sale({}, {}, { ...ONLINE, ...sent });
}

const NOTHING: Wrong = ["not seen", (traffic) => traffic.sale()];

const RECORDINGS: Readonly<Record<string, readonly [passes: Play, ...wrong: Wrong[]]>> = {
  "OPS-002-STATE": [(traffic) => traffic.status("0100").sale(), ["failed", each([{}])]],
  "OPS-002-PIN": [
    (traffic) => traffic.refused(400, "1300", "a").status("1500").pin().sale(),
    [
      "failed",
      (traffic) => traffic.status("1500").refused(401, "1500", "a").refused(401, "1500", "a"),
      "before any PIN",
    ],
    // Each cash desk may learn from a refusal that the PIN is missing.
    ["not seen", (traffic) => traffic.refused(401, "1500", "a").refused(401, "1500", "b")],
    ["not seen", (traffic) => traffic.status("1300").pin("2100")],
    // The PIN at the start of the day.
    ["not seen", (traffic) => traffic.status("1500").pin().sale()],
  ],
  "FORB-001-ERROR": [
    (traffic) => traffic.refused(500, "1999", "a").sale({}, {}, { requestId: "a" }),
    ["failed", (traffic) => traffic.refused(400, "1300", "a").refused(400, "1300", "b")],
    // Another sale, and an invoice that had to be changed.
    ["not seen", (traffic) => traffic.refused(500, "1999", "a").sale(payments("Card"))],
    ["not seen", (traffic) => traffic.refused(400, "2310", "a").sale({}, {}, { requestId: "b" })],
  ],
  "FORB-001-LOST": [
    (traffic) => traffic.refused(0, null, "a").sale({}, {}, { requestId: "a" }),
    ["not seen", (traffic) => traffic.refused(0, null, "a")],
    ["not seen", (traffic) => traffic.refused(0, null, "a").call("GET", "invoices/a", { status: 404, code: "2310" })],
  ],
  "OPS-004": [each([item({ totalAmount: 200 })]), NOTHING, ["not seen", each([weighed(0.123, 9.95, 1.21)])]],
  "OPS-005": [
    (traffic) => traffic.sale(ALL_PAYMENTS),
    ["not seen", each([payments("Cash"), payments("Card")]), "Check"],
  ],
  "OPS-006-SEVERAL": [
    (traffic) => traffic.sale(payments("Cash", "Card")),
    ["not seen", each([payments("Cash", "Cash")])],
  ],
  "OPS-006-TWICE": [
    (traffic) => traffic.sale(payments("Card", "Card")),
    ["not seen", each([payments("Cash", "Card")])],
  ],
  "OPS-007": [each([item({ gtin: "4006381333931" })]), NOTHING, ["failed", each([item({ gtin: "milk-0001" })])]],
  "OPS-008": [
    (traffic) => {
      traffic.about(traffic.sale(), { transactionType: "Refund" });
      refundOf("2026-07-01T12:00:00Z")(traffic);
    },
    NOTHING,
    ["failed", refundOf("2026-07-01T10:00:00Z"), "is printed as 10:00; your clock says 12:00"],
    [
      "failed",
      (traffic) => traffic.refused(400, "2800", "a", { invoiceType: "Copy" }).sale({}, {}, { requestId: "b" }),
      "referentDocumentNumber",
    ],
    ["failed", (traffic) => traffic.about(traffic.sale(), { invoiceType: "Copy", referentDocumentDT: undefined })],
    [
      "failed",
      (traffic) => traffic.about(traffic.sale(), { invoiceType: "Copy", referentDocumentDT: "2025-12-31T12:00:00Z" }),
    ],
    [
      "not seen",
      each([
        {
          invoiceType: "Copy",
          referentDocumentNumber: "OLDERONE-OLDERONE-1",
          referentDocumentDT: "2025-01-01T00:00:00Z",
        },
      ]),
    ],
  ],
  "OPS-009": [advance(), ["failed", advance(240), "not the whole sum"], ["not seen", each([ADVANCE])]],
  "CAT-002": [each([weighed(0.123, 9.9, 1.22)]), ["not seen", each([weighed(1.25, 4, 5)])]],
  "CAT-005": [each(ROUNDED), NOTHING, ["failed", each([weighed(0.123, 9.95, 1.23)]), "0.123 × 9.95 = 1.23"]],
  "TAX-001": [
    (traffic) =>
      traffic
        .labels("A")
        .labels("F")
        .sale(item({ labels: ["F"] })),
    ["not seen", (traffic) => traffic.sale(), "labels that the POS reads"],
    // A label in the program looks right until the labels change.
    ["not seen", (traffic) => traffic.labels("A").sale(), "labels that change"],
    ["failed", (traffic) => traffic.status("0100").refused(400, "2310", "a").sale(), '["A"]'],
    ["failed", (traffic) => traffic.labels("A").refused(400, "2310", "a").refused(400, "2310", "b"), '["A"]'],
    // Another maker's service may answer an item that is none with any code.
    [
      "failed",
      (traffic) =>
        traffic
          .labels("A")
          .refused(400, "2310", "a", { items: [null] })
          .sale(),
      "labels []",
    ],
  ],
  // test/unit/rehearsal-mistakes.test.ts has what fails these two.
  REFUSED: [
    (traffic) => traffic.wrong("a", { "items[0].name": "2801" }).sale(),
    ["not seen", (traffic) => traffic.status("0100")],
  ],
  SELLS: [(traffic) => traffic.refused(400, "1300", "a").sale(), ["not seen", (traffic) => traffic.status("0100")]],
  "TAX-002": [each([{ items: [ITEM, { ...ITEM, labels: ["B"] }] }]), NOTHING],
  TYPES: [samples, ["not seen", each([{}, ADVANCE]), "Proforma Sale"]],
  BUYER: [
    each([{}, { buyerId: "10:123456789" }]),
    ["not seen", each([{}]), "with a buyer"],
    ["failed", (traffic) => traffic.sale({}, {}, { body: { BuyerId: " " } }), "empty"],
  ],
  "BUYER-OPTIONAL": [
    each([{ buyerId: "10:1", buyerCostCenterId: "20:7" }]),
    NOTHING,
    ["failed", each([{ buyerId: "10:1", buyerCostCenterId: "7" }])],
  ],
  CASHIER: [each([{ cashier: "Ana" }]), NOTHING, ["failed", each([{ cashier: "11:1" }])]],
  "COUNTRY-FIELDS": [each([{ cashier: "Ana" }]), ["failed", each([{ cashier: "Ana" }, {}]), "cashier is missing"]],
  "POS-TIME": [
    each([{}, YESTERDAY]),
    NOTHING,
    ["failed", each([{ dateAndTimeOfIssue: "2026-01-01T10:00:00Z" }]), "Normal Sale"],
    ["failed", each([{ ...ADVANCE, dateAndTimeOfIssue: "2027-01-01T10:00:00Z" }])],
    [
      "failed",
      (traffic) => traffic.sale({ ...ADVANCE, dateAndTimeOfIssue: "2026-07-01T09:59:00Z" }, IN_BELGRADE),
      "is printed as 09:59; your clock says 11:59",
    ],
  ],
  "POS-NUMBER": [each([{ invoiceNumber: "123/1.0" }]), NOTHING, ["failed", each([{ invoiceNumber: "123/1.0-4" }])]],
  UNIT: [
    each([{}]),
    ["not seen", each([item({ name: "Milk" })])],
    ["failed", each([{}, item({ name: "Milk" })]), '"Milk"'],
  ],
  "ITEM-NAMES": [
    each([item({ name: "10: Advance /pc" }), { ...payments("Other"), ...item({ name: "00: Bag /pc" }) }]),
    NOTHING,
    ["failed", each([item({ name: "00: Bag /pc" })])],
    ["failed", each([item({ name: "14: Advance /pc" })])],
  ],
  CANCEL: [cancelled({}), NOTHING, ["failed", cancelled(item({ quantity: 1 }))]],
  "CASH-BACK": [cashBack(false), NOTHING, ["failed", cashBack(true)]],
  "CORPORATE-CARD": [
    each([{ buyerId: "10:1", buyerCostCenterId: "50:1", ...payments("Voucher") }]),
    NOTHING,
    ["failed", each([{ buyerId: "10:1", buyerCostCenterId: "50:1" }])],
  ],
  SAMPLES: [samples, ["not seen", each([{}]), "Normal Refund with a buyer"]],
  "COND-LOCAL": [each([{}]), ["not seen", (traffic) => traffic.refused(400, "1300", "a")]],
  "COND-ADVANCE": [each([YESTERDAY]), ["not seen", each([{ ...ADVANCE, dateAndTimeOfIssue: "2026-01-02T10:00:00Z" }])]],
  "COND-PAYMENTS": [(traffic) => traffic.sale(ALL_PAYMENTS), ["not seen", each([payments("Cash"), payments("Card")])]],
  "ONLINE-RETURN": [
    (traffic) => {
      online(traffic);
      traffic.pin().sale();
    },
    ["not seen", online, "a sale with the card after it"],
    ["not seen", (traffic) => traffic.call("GET", "status", ONLINE), "a sale online"],
    // A POS may learn from two sales later that the card is ready.
    [
      "not seen",
      (traffic) => {
        online(traffic);
        traffic.pin();
        for (let sale = 0; sale < 2; sale++) online(traffic);
      },
      "a sale with the card after it",
    ],
    [
      "failed",
      (traffic) => {
        online(traffic);
        traffic.pin();
        for (let sale = 0; sale < 3; sale++) online(traffic);
      },
      "3 sales online",
    ],
  ],
  "ONLINE-TWICE": [
    (traffic) => {
      online(traffic, { requestId: "a", status: 0 });
      online(traffic, { requestId: "a", signed: false });
    },
    ["not seen", online],
    // The answer came: another customer buys the same.
    [
      "not seen",
      (traffic) => {
        online(traffic, { requestId: "a" });
        traffic.sale({}, {}, { requestId: "b" });
      },
    ],
    [
      "failed",
      (traffic) => {
        online(traffic, { requestId: "a", status: 0 });
        traffic.sale({}, {}, { requestId: "b" });
      },
      "RequestId b",
    ],
    [
      "failed",
      (traffic) => {
        traffic.sale({}, {}, { requestId: "a", status: 0 });
        online(traffic, { requestId: "a" });
      },
      "RequestId a",
    ],
  ],
  "COND-ROUNDING": [each([...ROUNDED, weighed(0.123, 9.95, 1.22)]), ["not seen", each(ROUNDED), "0.123 × 9.95 → 1.22"]],
};

function rowAfter(id: string, play: Play, country = "WS") {
  const traffic = new Traffic();
  play(traffic);
  const row = rowsOf(traffic.requests, country).find((one) => one.id === id);
  if (!row) throw new Error(`there is no row ${id}`);
  return { row, ids: new Set(traffic.requests.map((request) => request.id)) };
}

describe("a rule of a rehearsal", () => {
  it("has recordings, and there are no recordings without a rule", () => {
    expect(Object.keys(RECORDINGS).toSorted()).toEqual(RULES.map(({ id }) => id).toSorted());
  });

  it.each(Object.entries(RECORDINGS))("%s passes with the requests that show it", (id, [passes]) => {
    const { row, ids } = rowAfter(id, passes);
    expect(row).toMatchObject({ outcome: "passed" });
    expect(row.exchange.length).toBeGreaterThan(0);
    for (const { id: number } of row.exchange) expect(ids).toContain(number);
  });

  const WRONG = Object.entries(RECORDINGS).flatMap(([id, [, ...wrong]]) =>
    wrong.map(([state, play, says = ""], i) => [`${id}, ${state} (${i + 1})`, id, state, play, says] as const),
  );
  it.each(WRONG)("%s says which request, and what to do", (_, id, state, play, says) => {
    const { row } = rowAfter(id, play);
    expect(row.outcome).toBe(state);
    expect(`${row.why.wrong} ${row.why.missing}`).toContain(says);
    if (state === "failed") expect([row.exchange.length > 0, row.why.change]).toEqual([true, expect.any(String)]);
    else expect(row.why["to do"]).toEqual(expect.any(String));
  });

  it("asks for a GTIN in Republika Srpska, and for no field in Serbia or an unknown country", () => {
    const items = [{ ...ITEM, gtin: "40063813" }, ITEM];
    const { row } = rowAfter("COUNTRY-FIELDS", each([{ items }]), "BA");
    expect(row).toMatchObject({ outcome: "failed", why: { wrong: "items[1].gtin is missing" } });
    for (const country of ["RS", undefined]) {
      expect(rowsOf([], country).map(({ id }) => id)).not.toContain("COUNTRY-FIELDS");
    }
  });

  it("takes a receipt that the POS gets by its RequestId for a lost answer, too", () => {
    const traffic = new Traffic().refused(0, null, "a").call("GET", "invoices/a", { answer: {} });
    expect(rowsOf(traffic.requests).find(({ id }) => id === "FORB-001-LOST")).toMatchObject({ outcome: "passed" });
  });

  it("is not passed without traffic, and rows that need eyes never are", () => {
    const rows = rowsOf([]);
    expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(["not seen", "needs a person"]));
    expect(summary(rows)).toMatch(/^0 passed, 0 failed, 33 not seen, 12 need a person$/);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });
});

describe("a product", () => {
  it("is rounded half up, exactly", () => {
    const quantity = fc.integer({ min: 1, max: 1_000_000 });
    const price = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(quantity, price, (thousandths, cents) => {
        const one = { ...ITEM, quantity: thousandths / 1000, unitPrice: cents / 100 };
        expect(roundedProduct(one)).toBe(Math.floor((thousandths * cents + 500) / 1000));
        expect(needsRounding(one)).toBe((thousandths * cents) % 1000 !== 0);
      }),
    );
  });
});
