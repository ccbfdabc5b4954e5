/** Each mistake of a till is named by one row, and honest tills are accused of nothing. */
import { expect, it } from "vitest";
import { rowsOf } from "../../harness/rehearse/rows.js";
import { ITEM, Traffic } from "../support/rehearsed.js";

type Play = (traffic: Traffic) => unknown;

const item = (fields: object) => ({ items: [{ ...ITEM, ...fields }] });
const REFUND = { transactionType: "Refund" };
const COPY = { invoiceType: "Copy" };
const ADVANCE = { invoiceType: "Advance" };
const CARD = { payment: [{ amount: 240, paymentType: "Card" }] };
const BREAD = item({ name: "Bread /pc", quantity: 1, unitPrice: 90, totalAmount: 90 });
const OTHER = { invoiceType: "Normal", ...BREAD, payment: [{ amount: 90, paymentType: "Cash" }] };

/** A till at work: it has asked for the state and sold. */
function opened(): Traffic {
  const traffic = new Traffic().labels("A", "B");
  traffic.sale(OTHER);
  return traffic;
}

const sell = (traffic: Traffic, times: number) => {
  for (let i = 0; i < times; i++) traffic.sale({ ...OTHER, cashier: `Ana ${i}` });
  return traffic;
};

/** Sales of different customers that are refused with the same code. */
const turnedAway = (traffic: Traffic, code: string, times: number) => {
  for (let i = 0; i < times; i++) traffic.refused(400, code, `away-${code}-${i}`, { buyerId: `10:${i}` });
  return traffic;
};

function judged(play: Play, traffic = opened()) {
  play(traffic);
  const rows = rowsOf(traffic.requests, "RS");
  return {
    failed: rows.flatMap(({ id, outcome, why }) => (outcome === "failed" ? [`${id}: ${why.wrong}`] : [])),
    notes: rows.flatMap(({ id, why }) => (why.note === undefined ? [] : [`${id}: ${why.note}`])),
  };
}

const BAR_CODE = 4006381333931;
const TOO_LONG = { "items[0].name": "2801" };

const MISTAKES: readonly [name: string, says: string | RegExp, play: Play][] = [
  // Refused content.
  [
    "a RequestId that is too long now and then",
    "REFUSED: 2803 RequestId, first in request 3",
    (t) => sell(t.wrong("a", { RequestId: "2803" }), 1),
  ],
  [
    "a RequestId of another sale",
    /^REFUSED: 2805 RequestId, .*: used for another sale$/,
    (t) => {
      t.sale({}, {}, { requestId: "a" });
      sell(t.wrong("a", { RequestId: "2805" }, BREAD), 1);
    },
  ],
  [
    "a repeat that differs",
    /^REFUSED: 2805 RequestId, .*: a repeat differs in cashier$/,
    (t) => {
      t.sale({}, {}, { requestId: "a" });
      sell(t.wrong("a", { RequestId: "2805" }, { cashier: "Eva" }), 1);
    },
  ],
  [
    "a repeat with a new time, whose receipt the till never gets",
    /^REFUSED: 2805 RequestId, .*: a repeat differs in dateAndTimeOfIssue$/,
    (t) => {
      t.sale({}, {}, { requestId: "a", status: 0 });
      sell(t.wrong("a", { RequestId: "2805" }, { dateAndTimeOfIssue: "2026-01-02T12:00:00" }), 1);
    },
  ],
  ["an invoice type of its own", /^REFUSED: 2805 invoiceType/, (t) => sell(t.wrong("a", { invoiceType: "2805" }), 1)],
  [
    "a payment type of its own",
    "REFUSED: 2805 payment[].paymentType, 2 times, first in request 3",
    (t) => sell(t.wrong("a", { "payment[0].paymentType": "2805" }).wrong("b", { "payment[1].paymentType": "2805" }), 1),
  ],
  ["a body that is no JSON", /^REFUSED: 2806 body/, (t) => sell(t.wrong("a", { body: "2806" }), 1)],
  ["a wrong header", /^REFUSED: 2806 Content-Type/, (t) => sell(t.wrong("a", { "Content-Type": "2806" }), 1)],
  [
    "a language that there is not",
    /^REFUSED: 406/,
    (t) =>
      sell(
        twice(t, (id) => t.refused(406, null, id)),
        1,
      ),
  ],
  [
    "a total with three decimals",
    /^REFUSED: 2806 items\[\]\.totalAmount/,
    (t) => sell(t.wrong("a", { "items[0].totalAmount": "2806" }, item({ totalAmount: 1.234 })), 1),
  ],
  [
    "an amount below 0",
    /^REFUSED: 2804 payment\[\]\.amount/,
    (t) => sell(t.wrong("a", { "payment[0].amount": "2804" }, { payment: [{ amount: -5, paymentType: "Cash" }] }), 1),
  ],
  [
    "names that are too long, of other articles",
    /^REFUSED: 2801 items\[\]\.name, 2 times/,
    (t) => sell(sell(t.wrong("a", TOO_LONG), 3).wrong("b", TOO_LONG), 1),
  ],
  // A sale left open.
  ["a lost answer, given up", /^FORB-001-LOST: .*RequestId a is left/, (t) => sell(t.refused(0, null, "a"), 3)],
  [
    "a lost answer, given up after a repeat that was lost, too",
    /^FORB-001-LOST: .*RequestId a is left/,
    (t) => sell(t.refused(0, null, "a").refused(0, null, "a"), 3),
  ],
  ["2220, given up", /^FORB-001-ERROR: .*RequestId a is left/, (t) => sell(t.refused(500, "2220", "a"), 3)],
  [
    "a lost answer, sold again under a new RequestId",
    "FORB-001-LOST: RequestId b",
    (t) => t.refused(0, null, "a").sale({}, {}, { requestId: "b" }),
  ],
  [
    "a lost answer, sold again without any RequestId",
    "FORB-001-LOST: RequestId none",
    (t) => {
      t.sale({}, {}, { requestId: null, status: 0 });
      t.sale({}, {}, { requestId: null });
    },
  ],
  [
    "an error, sold again under a new RequestId in the second of two tests",
    "FORB-001-ERROR: RequestId b",
    (t) => t.span().refused(500, "1999", "a").sale({}, {}, { requestId: "b" }),
  ],
  // A till that cannot sell.
  [
    "sales that go on without a card",
    /^SELLS: 5 different sales in a row refused with 1300/,
    (t) => turnedAway(t, "1300", 5),
  ],
  ["sales that go on with a locked card", /^SELLS: .* refused with 2210/, (t) => turnedAway(t, "2210", 5)],
  ["no PIN, all day", /^OPS-002-PIN: 1500, 6 times/, (t) => turnedAway(t, "1500", 6)],
  [
    "no PIN after the card came back, although the PIN of the morning was right",
    /^OPS-002-PIN: 1500, 6 times/,
    (t) => turnedAway(t.pin(), "1500", 6).pin("2100"),
  ],
  [
    "an invoice before the PIN for which status has asked",
    /^OPS-002-PIN: an invoice before any PIN/,
    (t) => t.span().status("1500").refused(401, "1500", "a").pin().sale({}, {}, { requestId: "a" }),
  ],
  [
    "a wrong PIN twice at once",
    "OPS-002-PIN: 2100, twice within a second",
    (t) => {
      t.pin("2100").pin("2100");
      Object.assign(t.requests.at(-1) ?? {}, { at: t.requests.at(-2)?.at });
    },
  ],
  // References by content.
  ["a Copy of other items", /^OPS-008: other items/, (t) => t.about(t.sale(), { ...COPY, ...BREAD })],
  ["a Copy Refund of a Sale", "OPS-008: a Copy of a Sale", (t) => t.about(t.sale(), { ...COPY, ...REFUND })],
  [
    "a Refund of another invoice type",
    /^OPS-008: a Training Refund of a Normal Sale/,
    (t) => t.about(t.sale(), { ...REFUND, invoiceType: "Training" }),
  ],
  [
    "a Refund of a Refund",
    /^OPS-008: a Normal Refund of a Normal Refund/,
    (t) => t.about(t.about(t.sale(), REFUND), REFUND),
  ],
  ["a Refund of items that were not sold", /^OPS-008: "Bread/, (t) => t.about(t.sale(), { ...REFUND, ...BREAD })],
  [
    "a cancellation of other items",
    /^OPS-008: "Bread/,
    (t) => t.about(t.sale(), { ...REFUND, ...BREAD, buyerId: "10:1" }),
  ],
  [
    "two Refunds of everything",
    /^OPS-008: .* more than was sold/,
    (t) => {
      const sale = t.sale();
      t.about(sale, REFUND);
      t.about(sale, REFUND);
    },
  ],
  ["a second Normal Sale as a copy", /^OPS-008: a Normal Sale with the items/, (t) => t.about(t.sale(), {})],
  [
    "a Refund without its original",
    "OPS-008: referentDocumentNumber is missing",
    (t) => sell(t.wrong("a", { referentDocumentNumber: "2800" }, REFUND), 1),
  ],
  [
    "a wrong Refund in the second of two tests with the same numbers",
    /^OPS-008: "Bread/,
    (t) => {
      t.about(t.sale(), REFUND);
      t.span();
      t.about(t.sale(), { ...REFUND, ...BREAD });
    },
  ],
  [
    "a Refund without its original before a sale of the same items",
    "OPS-008: referentDocumentNumber is missing",
    (t) => t.wrong("a", { referentDocumentNumber: "2800" }, REFUND).sale(),
  ],
  // Money.
  ["a line that is larger than its price", "OPS-004: 2 × 120 = 250", (t) => t.sale(item({ totalAmount: 250 }))],
  // Labels.
  [
    "an unknown label",
    'TAX-001: labels ["X"]',
    (t) => sell(t.wrong("a", { "items[0].labels[0]": "2310" }, item({ labels: ["X"] })), 1),
  ],
  [
    "an old label, twice for one sale",
    'TAX-001: labels ["A"]',
    (t) => {
      t.wrong("a", { "items[0].labels[0]": "2310" }).labels("F");
      t.wrong("a", { "items[0].labels[0]": "2310" });
    },
  ],
  [
    "an old label after the new ones were read",
    'TAX-001: labels ["A"]',
    (t) => sell(t.labels("F").wrong("a", { "items[0].labels[0]": "2310" }), 1),
  ],
  [
    "no labels at all",
    /^TAX-001/,
    (t) => sell(t.wrong("a", { "items[0].labels": "2800" }, item({ labels: undefined })), 1),
  ],
  [
    "another receipt between a cash refund and its copy",
    "CASH-BACK: other receipts in between",
    (t) => {
      const refund = t.about(t.sale(), REFUND);
      sell(t, 1);
      t.sale();
      t.about(refund, { ...COPY, ...REFUND });
    },
  ],
];

function twice(traffic: Traffic, act: (id: string) => unknown): Traffic {
  for (const id of ["one", "two"]) act(id);
  return traffic;
}

it.each(MISTAKES)("one row names %s", (_, says, play) => {
  const { failed } = judged(play);
  expect(failed).toEqual([typeof says === "string" ? says : expect.stringMatching(says)]);
});

it.each<[string, RegExp, Play]>([
  [
    "nothing was ever signed",
    /^SELLS: 2 invoices, and none was signed/,
    (t) => twice(t.status("0100"), (id) => t.wrong(id, TOO_LONG)),
  ],
  [
    "no PIN at the start",
    /^OPS-002-PIN: an invoice before any PIN/,
    (t) => twice(t.status("1500"), (id) => t.refused(401, "1500", id, { cashier: id })),
  ],
])("one row names why a till sells nothing: %s", (_, says, play) => {
  expect(judged(play, new Traffic()).failed).toEqual([expect.stringMatching(says)]);
});

const HONEST: readonly [name: string, play: Play][] = [
  ["the test of an error text", (t) => t.span().labels("A").wrong("a", { RequestId: "2803" }).span().sale()],
  [
    "a sale that is refused in one test, and sold under another RequestId in the next",
    (t) => t.refused(500, "1999", "a").span().sale({}, {}, { requestId: "b" }),
  ],
  [
    "a bar code in the price field, corrected",
    (t) => {
      const typed = item({ unitPrice: BAR_CODE, totalAmount: 2 * BAR_CODE });
      twice(t, (id) => t.wrong(id, { "items[0].unitPrice": "2804", "items[0].totalAmount": "2804" }, typed));
      t.sale();
      sell(t, 3);
    },
  ],
  [
    "a wrong quantity, whose total is wrong, too",
    (t) => sell(t.wrong("a", { "items[0].quantity": "2806", "items[0].totalAmount": "2806" }), 1),
  ],
  ["one name that is too long, given up", (t) => sell(t.wrong("a", TOO_LONG), 4)],
  ["a buyer that is mistyped once", (t) => sell(t.wrong("a", { buyerId: "2806" }), 4)],
  [
    "a lost answer that is fetched by GET in the end",
    (t) => sell(sell(t.refused(0, null, "a"), 4).call("GET", "invoices/a", { status: 200, answer: {} }), 1),
  ],
  [
    "a GET that answers 404, and the same sale under a new RequestId",
    (t) =>
      t.refused(0, null, "a").call("GET", "invoices/a", { status: 404, code: "2805" }).sale({}, {}, { requestId: "b" }),
  ],
  [
    "an impatient client that repeats with its RequestId",
    (t) => {
      t.refused(0, null, "a");
      t.sale({}, {}, { requestId: "a" });
      sell(t, 4);
    },
  ],
  [
    "a final 2220, sold again under a new RequestId",
    (t) => {
      t.refused(500, "2220", "a");
      Object.assign(t.requests.at(-1) ?? {}, { answer: { code: "2220", final: true } });
      t.sale({}, {}, { requestId: "b" });
      sell(t, 4);
    },
  ],
  ["a customer who leaves after 1999", (t) => sell(t.refused(500, "1999", "a"), 4)],
  [
    "a customer who leaves after 2310, when the labels have changed",
    (t) => sell(t.wrong("a", { "items[0].labels[0]": "2310" }).labels("F"), 4),
  ],
  [
    "two desks, each refused once with an old label",
    (t) => {
      for (const id of ["a", "b"]) t.wrong(id, { "items[0].labels[0]": "2310" });
      for (const id of ["a", "b"]) t.labels("F").sale(item({ labels: ["F"] }), {}, { requestId: id });
    },
  ],
  [
    "a second desk that learns the new labels after the first",
    (t) => {
      for (const id of ["a", "b"]) {
        t.wrong(id, { "items[0].labels[0]": "2310" }).labels("F");
        t.sale(item({ labels: ["F"] }), {}, { requestId: id });
      }
    },
  ],
  [
    "a Refund of a sale with the old labels",
    (t) => {
      const sale = t.sale();
      t.labels("F");
      const refund = { ...REFUND, referentDocumentNumber: sale, referentDocumentDT: "2026-01-02T12:00:02Z" };
      sell(t.wrong("a", { "items[0].labels[0]": "2310" }, refund), 1);
    },
  ],
  ["three desks that each learn once that the PIN is missing", (t) => turnedAway(t, "1500", 3).pin()],
  [
    "a card that came back, after a status that asked for its PIN",
    (t) => t.status("1300").status("1500").refused(401, "1500", "a").pin().sale({}, {}, { requestId: "a" }),
  ],
  ["a limit with its audit", (t) => sell(turnedAway(t, "2210", 2), 2)],
  [
    "one sale that is repeated while there is no card",
    (t) => {
      for (let i = 0; i < 8; i++) t.refused(400, "1300", "a");
      t.sale({}, {}, { requestId: "a" });
    },
  ],
  ["a test of the locked card", (t) => t.span().pin("2100").pin("2100").pin("2110")],
  ["a wrong PIN, typed again", (t) => t.pin("2100").pin("2100").pin()],
  ["a rounded price of a pack", (t) => t.sale(item({ quantity: 30, unitPrice: 3.33, totalAmount: 100 }))],
  [
    "a refund to a card with a later copy",
    (t) => {
      const refund = t.about(t.sale(CARD), { ...REFUND, ...CARD });
      t.sale();
      t.about(refund, { ...COPY, ...REFUND });
    },
  ],
  [
    "another cashier's sale between a refund and its copy",
    (t) => {
      const refund = t.about(t.sale({ cashier: "Ana" }), { ...REFUND, cashier: "Ana" });
      t.sale({ cashier: "Eva" });
      t.about(refund, { ...COPY, ...REFUND, cashier: "Ana" });
    },
  ],
  [
    "a receipt that is issued anew and names the wrong one",
    (t) => {
      const wrong = t.sale();
      t.about(wrong, { ...REFUND, buyerId: "10:1" });
      t.about(wrong, {});
    },
  ],
  [
    "a refund in three parts, each rounded up",
    (t) => {
      const sale = t.sale(item({ quantity: 3, unitPrice: 33.33, totalAmount: 100 }));
      for (let i = 0; i < 3; i++)
        t.about(sale, { ...REFUND, ...item({ quantity: 1, unitPrice: 33.33, totalAmount: 33.34 }) });
    },
  ],
  [
    "an advance in two payments",
    (t) => {
      const second = t.about(t.sale(ADVANCE), ADVANCE);
      t.about(t.about(second, { ...ADVANCE, ...REFUND }, { totalAmount: 480 }), {});
    },
  ],
  [
    "a wrong reference that a cashier corrects",
    (t) => t.wrong("a", { referentDocumentNumber: "2800" }, REFUND).about(t.sale(), REFUND),
  ],
];

it.each(HONEST)("nothing accuses %s", (_, play) => {
  expect(judged(play).failed).toEqual([]);
});

it.each<[string, RegExp, Play]>([
  [
    "payments that are not the total",
    /^OPS-005: payments of 10 for a total of 240 \(request 3\)/,
    (t) => t.sale({ payment: [{ amount: 10, paymentType: "Cash" }] }),
  ],
  [
    "tails of doubles",
    /^CAT-005: 361\.72999999999996/,
    (t) =>
      t.sale({
        payment: [{ amount: 361.72999999999996, paymentType: "Cash" }],
        ...item({ quantity: 1, unitPrice: 361.73, totalAmount: 361.73 }),
      }),
  ],
  [
    "an unknown field",
    /^REFUSED: unknown field cashir; did you mean cashier\? \(request 3\)/,
    (t) => t.sale({ cashir: "Ana" }),
  ],
  [
    "a repeat with a new time, whose receipt the till has",
    /^REFUSED: a repeat with another dateAndTimeOfIssue/,
    (t) => {
      t.sale({}, {}, { requestId: "a", status: 0 });
      t.wrong("a", { RequestId: "2805" }, { dateAndTimeOfIssue: "2026-01-02T12:00:00" });
      sell(t.call("GET", "invoices/a", { answer: {} }), 4);
    },
  ],
  [
    "a language that the environment does not have",
    /^COND-LOCAL: Accept-Language fr-FR/,
    (t) =>
      t
        .call("GET", "status", { answer: { supportedLanguages: ["sr-Cyrl-RS"] } })
        .call("GET", "status", { language: "fr-FR" }),
  ],
  [
    "a status for every keystroke",
    /^OPS-002-STATE: more than 15 status in 5 s/,
    (t) => {
      for (let i = 0; i < 20; i++) t.status("0100");
      for (const request of t.requests) Object.assign(request, { at: new Date(request.id * 100).toISOString() });
    },
  ],
  [
    "a caller that hangs up",
    /^FORB-001-LOST: the caller hung up after 2000 ms/,
    (t) => {
      t.sale({}, {}, { requestId: "a", status: 0, hungUpAfter: 2000 });
      t.sale({}, {}, { requestId: "a", signed: false });
    },
  ],
])("a note names %s, and nothing fails", (_, says, play) => {
  const { failed, notes } = judged(play);
  expect(failed).toEqual([]);
  expect(notes).toContainEqual(expect.stringMatching(says));
});
