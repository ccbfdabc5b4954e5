/** Each mistake of a till is named by one row, and honest tills are accused of nothing. */
import { expect, it } from "vitest";
import { rowsOf } from "../../harness/rehearse/rows.js";
import { ITEM, Traffic } from "../support/rehearsed.js";

type Play = (traffic: Traffic) => unknown;

const item = (fields: object) => ({ items: [{ ...ITEM, ...fields }] });
const REFUND = { transactionType: "Refund" };
const COPY = { invoiceType: "Copy" };
const ADVANCE = { invoiceType: "Advance" };
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

/** Refunds of one Sale, each with its request, and one more. */
function givenTwice(traffic: Traffic, ...sent: readonly object[]): void {
  const referentDocumentNumber = traffic.sale();
  const referentDocumentDT = traffic.requests.at(-1)?.at;
  const fields = { ...REFUND, referentDocumentNumber, referentDocumentDT };
  for (const one of [...sent, { requestId: "b" }]) traffic.sale(fields, {}, one);
}

const TOO_LONG = { "items[0].name": "2801" };

const MISTAKES: readonly [name: string, says: string | RegExp, play: Play][] = [
  // Refused content.
  [
    "a repeat with a new time, whose receipt the till never gets",
    /^REFUSED: 2805 RequestId, .*: a repeat differs in dateAndTimeOfIssue$/,
    (t) => {
      t.sale({}, {}, { requestId: "a", status: 0 });
      sell(t.wrong("a", { RequestId: "2805" }, { dateAndTimeOfIssue: "2026-01-02T12:00:00" }), 1);
    },
  ],
  // A sale left open.
  [
    "a lost answer, given up after a repeat that was lost, too",
    /^FORB-001-LOST: .*RequestId a is left/,
    (t) => sell(t.refused(0, null, "a").refused(0, null, "a"), 3),
  ],
  [
    "an error, sold again under a new RequestId in the second of two tests",
    "FORB-001-ERROR: RequestId b",
    (t) => t.span().refused(500, "1999", "a").sale({}, {}, { requestId: "b" }),
  ],
  [
    "an error, sold again under a new RequestId with a later time",
    "FORB-001-ERROR: RequestId b",
    (t) => {
      t.refused(500, "1999", "a", { ...ADVANCE, dateAndTimeOfIssue: "2026-01-01T10:00:00" });
      t.sale({ ...ADVANCE, dateAndTimeOfIssue: "2026-01-01T10:00:01" }, {}, { requestId: "b" });
    },
  ],
  [
    "a lost answer without a RequestId",
    /^FORB-001-LOST: .*RequestId none is left/,
    (t) => {
      t.sale({}, {}, { requestId: null, status: 0 });
      sell(t.status("0100"), 3);
    },
  ],
  // A till that cannot sell.
  ["sales with a locked card", /^SELLS: 5 .* with 2110/, (t) => turnedAway(t, "2110", 5)],
  [
    "a wrong PIN, taken as right by a till that goes on",
    /^OPS-002-PIN: 1500, 3 times/,
    (t) => turnedAway(t.refused(401, "1500", "a").pin("2100"), "1500", 3).pin(),
  ],
  [
    "a PIN in the program, which asks for the state in between",
    "OPS-002-PIN: 2100, twice within a second",
    (t) => {
      for (const at of ["12:00:00.000Z", "12:00:00.300Z"]) {
        t.status("1500").call("POST", "pin", { code: "2100", at: `2026-01-03T${at}` });
      }
    },
  ],
  [
    "no PIN after the card came back, although the PIN of the morning was right",
    /^OPS-002-PIN: 1500, 6 times/,
    (t) => turnedAway(t.pin(), "1500", 6).pin("2100"),
  ],
  // References by content.
  ["a Copy Refund of a Sale", "OPS-008: a Copy of a Sale", (t) => t.about(t.sale(), { ...COPY, ...REFUND })],
  [
    "a Refund of a Refund",
    /^OPS-008: a Normal Refund of a Normal Refund/,
    (t) => t.about(t.about(t.sale(), REFUND), REFUND),
  ],
  [
    "a cancellation of other items",
    /^OPS-008: "Bread/,
    (t) => t.about(t.sale(), { ...REFUND, ...BREAD, buyerId: "10:1" }),
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
  [
    "a Refund with other labels",
    /^OPS-008: "Milk .l", B: the original/,
    (t) => t.about(t.sale(), { ...REFUND, ...item({ labels: ["B"] }) }),
  ],
  [
    "a Refund that is refused for labels that its original has not",
    'OPS-008: the original has no label "F"',
    (t) => {
      const referentDocumentNumber = t.sale();
      t.labels("F").wrong(
        "a",
        { "items[0].labels[0]": "2310" },
        {
          ...{ ...REFUND, referentDocumentNumber, referentDocumentDT: "2026-01-02T12:00:02.000Z" },
          ...item({ labels: ["F"] }),
        },
      );
      sell(t, 1);
    },
  ],
  [
    "a Copy of the receipt with the number 0",
    "OPS-008: there is no receipt TESTCARD-TESTCARD-0",
    (t) => t.about(t.sale(), { ...COPY, referentDocumentNumber: "TESTCARD-TESTCARD-0" }),
  ],
  // Advances.
  [
    "an Advance that is closed twice",
    "OPS-009: Refunds of 480 are not the whole sum",
    (t) => {
      const advance = t.sale(ADVANCE);
      for (let i = 0; i < 2; i++) t.about(advance, { ...ADVANCE, ...REFUND });
    },
  ],
  [
    "a lost Refund, given anew under another RequestId",
    "FORB-001-LOST: RequestId b",
    (t) => givenTwice(t, { requestId: "a", status: 0 }),
  ],
  [
    "a lost Refund that is repeated, and a second one",
    /^OPS-008: .*more than was sold/,
    (t) => givenTwice(t, { requestId: "a", status: 0 }, { requestId: "a", signed: false }),
  ],
  // Labels.
  [
    "an old label after the till has read the new ones",
    'TAX-001: labels ["A"]',
    (t) =>
      t
        .labels("F")
        .wrong("a", { "items[0].labels[0]": "2310" })
        .labels("F")
        .sale(item({ labels: ["F"] })),
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
    "an old label first, sale after sale",
    'TAX-001: labels ["A"]',
    (t) => {
      for (const id of ["a", "b", "c", "d", "e", "f"]) {
        t.wrong(id, { "items[0].labels[0]": "2310" }).labels("F");
        t.sale(item({ labels: ["F"] }), {}, { requestId: id });
      }
    },
  ],
  [
    "no labels at all",
    /^TAX-001/,
    (t) => sell(t.wrong("a", { "items[0].labels": "2800" }, item({ labels: undefined })), 1),
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
    "no PIN at the start",
    /^OPS-002-PIN: an invoice before any PIN/,
    (t) => twice(t.status("1500"), (id) => t.refused(401, "1500", id, { cashier: id })),
  ],
])("one row names why a till sells nothing: %s", (_, says, play) => {
  expect(judged(play, new Traffic()).failed).toEqual([expect.stringMatching(says)]);
});

const HONEST: readonly [name: string, play: Play][] = [
  [
    "a sale that is refused in one test, and sold under another RequestId in the next",
    (t) => t.refused(500, "1999", "a").span().sale({}, {}, { requestId: "b" }),
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
    "a final 2220, sold again under a new RequestId",
    (t) => {
      t.refused(500, "2220", "a");
      Object.assign(t.requests.at(-1) ?? {}, { answer: { code: "2220", final: true } });
      t.sale({}, {}, { requestId: "b" });
      sell(t, 4);
    },
  ],
  ...["order:1@a", "k1+7;3"].flatMap((id): [string, Play][] =>
    [id, encodeURIComponent(id).toLowerCase()].map((path) => [
      `a lost answer that is fetched as ${path}`,
      (t) => sell(t.refused(0, null, id).call("GET", `invoices/${path}`, { answer: {} }), 4),
    ]),
  ),
  [
    "tests of error texts, one after another in any order",
    (t) => {
      t.span().wrong("a", { referentDocumentNumber: "2800" }, REFUND);
      t.wrong("b", { "items[0].labels[0]": "2310" }, item({ labels: ["X"] })).wrong("c", TOO_LONG);
    },
  ],
  [
    "an advance that is given back before the next one",
    (t) => {
      const first = t.sale(ADVANCE);
      t.about(first, { ...ADVANCE, ...REFUND });
      t.about(t.about(first, ADVANCE), { ...ADVANCE, ...REFUND });
    },
  ],
  ["a customer who leaves after 1999", (t) => sell(t.refused(500, "1999", "a"), 4)],
  [
    "two desks, each refused once with an old label",
    (t) => {
      for (const id of ["a", "b"]) t.wrong(id, { "items[0].labels[0]": "2310" });
      for (const id of ["a", "b"]) t.labels("F").sale(item({ labels: ["F"] }), {}, { requestId: id });
    },
  ],
  [
    "a till that learns the new labels after another till has read them and sold",
    (t) => {
      t.labels("F").sale({ ...item({ labels: ["F"] }), cashier: "Eva" });
      t.wrong("b", { "items[0].labels[0]": "2310" }).labels("F");
      t.sale(item({ labels: ["F"] }), {}, { requestId: "b" });
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
  ["three desks that each learn once that the PIN is missing", (t) => turnedAway(t, "1500", 3).pin()],
  [
    "a card that came back, after a status that asked for its PIN",
    (t) => t.status("1300").status("1500").refused(401, "1500", "a").pin().sale({}, {}, { requestId: "a" }),
  ],
  [
    "one sale that is repeated while there is no card",
    (t) => {
      for (let i = 0; i < 8; i++) t.refused(400, "1300", "a");
      t.sale({}, {}, { requestId: "a" });
    },
  ],
  [
    "a customer who leaves after 1300, and another who buys the same later",
    (t) => sell(t.refused(400, "1300", "a"), 1).sale({}, {}, { requestId: "b" }),
  ],
  [
    "a test of a wrong PIN, whose sale must be refused",
    (t) => t.span().status("1500").pin("2100").refused(401, "1500", "a").pin().sale({}, {}, { requestId: "a" }),
  ],
  [
    "a test of the locked card beside a test that sells",
    (t) => {
      for (const code of ["2100", "2100", "2100", "2110"]) {
        t.call("POST", "pin", { code, at: "2026-01-03T12:00:00.100Z" }).status("0100");
      }
      t.sale();
    },
  ],
  ["a wrong PIN, typed again", (t) => t.pin("2100").pin("2100").pin()],
  [
    "another cashier's sale between a refund and its copy",
    (t) => {
      const refund = t.about(t.sale({ cashier: "Ana" }), { ...REFUND, cashier: "Ana" });
      t.sale({ cashier: "Eva" });
      t.about(refund, { ...COPY, ...REFUND, cashier: "Ana" });
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
    "a repeat with a new time, whose receipt the till has",
    /^REFUSED: a repeat with another dateAndTimeOfIssue/,
    (t) => {
      t.sale({}, {}, { requestId: "a", status: 0 });
      t.wrong("a", { RequestId: "2805" }, { dateAndTimeOfIssue: "2026-01-02T12:00:00" });
      sell(t.call("GET", "invoices/a", { answer: {} }), 4);
    },
  ],
])("a note names %s, and nothing fails", (_, says, play) => {
  const { failed, notes } = judged(play);
  expect(failed).toEqual([]);
  expect(notes).toContainEqual(expect.stringMatching(says));
});
