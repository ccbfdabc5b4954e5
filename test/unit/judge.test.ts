/** What a POS has sent against what a scenario expects: pure, over lists of requests. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { unmetBy, unmetText } from "../../harness/scenario/judge.js";
import type { SentRequest } from "../../harness/scenario/request-types.js";
import type { Expectation } from "../../harness/scenario/scenario.js";

/** A sale at this second. */
function sent(id: number, second: number, fields: Partial<SentRequest> = {}): SentRequest {
  const at = new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
  const sale = { method: "POST", path: "/api/v3/invoices", body: null, invoice: null, code: null, answer: null };
  return { id, at, online: false, ...sale, requestId: `order-${id}`, status: 200, signed: true, ...fields };
}

const texts = (expectations: readonly Expectation[], requests: readonly SentRequest[]) =>
  unmetBy(expectations, requests).map(unmetText);

const three = [sent(1, 0), sent(2, 10, { status: 400, code: "2310", signed: false }), sent(3, 20)];

it.each<[string, Expectation, number]>([
  ["is met by one request", { sent: { requestId: "order-2" } }, 0],
  ["needs a signature for signed", { signed: { requestId: "order-2" } }, 1],
  ["counts exactly", { signed: {}, times: 2 }, 0],
  ["refuses too many", { signed: {}, times: 1 }, 1],
  ["forbids", { notSent: { code: "2310" } }, 1],
  ["forbids only in its time", { notSent: { code: "2310" }, after: "2026-01-01T12:00:11Z" }, 0],
  ["has a last moment", { signed: { requestId: "order-3" }, before: "2026-01-01T12:00:20Z" }, 1],
  ["has a first moment", { signed: { requestId: "order-3" }, after: "2026-01-01T12:00:20Z" }, 0],
  ["counts from the first request", { signed: { requestId: "order-3" }, within: "20s" }, 0],
  ["ends after its time", { signed: { requestId: "order-3" }, within: "19s" }, 1],
  ["takes matchers", { sent: { requestId: { $not: { $match: "^order" } } } }, 1],
])("an expectation %s", (_, expectation, count) => {
  expect(unmetBy([expectation], three)).toHaveLength(count);
});

it("an expectation that is not met names the nearest request and the difference", () => {
  expect(texts([{ say: "an unknown label", sent: { code: "2310", requestId: "order-9" } }], three)).toEqual([
    [
      "an unknown label",
      "  the nearest is 2: POST /api/v3/invoices order-2: 400 2310",
      '    requestId: expected "order-9"',
      '               but was  "order-2"',
      '  no request matches {"code":"2310","requestId":"order-9"}',
    ].join("\n"),
  ]);
});

const name = { capture: { first: "requestId" } };
const repeated = [sent(1, 0, { status: 0 }), sent(2, 5, { requestId: "order-1", signed: false })];

it("an order is met by a later request with a value of an earlier one", () => {
  const expectation: Expectation = {
    inOrder: [{ sent: { status: 0 }, ...name }, { sent: { requestId: "${first}" } }],
  };
  expect(texts([expectation], repeated)).toEqual([]);
  expect(texts([expectation], repeated.toReversed())).toHaveLength(1);
});

it("an order tries every request that a step may mean, because its values decide about the next steps", () => {
  const expectation: Expectation = {
    inOrder: [{ sent: { code: null }, ...name }, { sent: { requestId: "${first}", signed: false } }],
  };
  expect(texts([expectation], [sent(7, 0), ...repeated])).toEqual([]);
});

it("an order forbids requests between two others, and after the last one", () => {
  const between: Expectation = {
    inOrder: [{ sent: { status: 0 } }, { notSent: { code: "2310" } }, { sent: { requestId: "order-1", status: 200 } }],
  };
  const wrong = sent(9, 2, { code: "2310" });
  expect(texts([between], repeated)).toEqual([]);
  expect(texts([between], [wrong, ...repeated, wrong])).toEqual([]);
  const [first, second] = repeated as [SentRequest, SentRequest];
  expect(texts([between], [first, wrong, second])).toEqual([
    expect.stringMatching(/^the POS sent what it must not send \(\d of \d in order\)\n {2}9: POST/),
  ]);
  const afterwards: Expectation = { inOrder: [{ sent: { status: 0 } }, { notSent: { code: "2310" } }] };
  expect(texts([afterwards], [...repeated, wrong])).toEqual([
    expect.stringMatching(/^the POS sent what it must not send \(\d of \d in order\)\n {2}9: POST/),
  ]);
});

it("an order counts the time from the request before", () => {
  const within = (time: string): Expectation => ({ inOrder: [{ sent: { status: 0 } }, { sent: {}, within: time }] });
  expect(texts([within("5s")], repeated)).toEqual([]);
  expect(texts([within("4s")], repeated)).toEqual([expect.stringContaining("expected within 4s")]);
});

it("an order of the requests themselves is always met, and of more than were sent never", () => {
  const requests = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(requests, (ids) => {
      const all = ids.map((requestId, i) => sent(i + 1, i, { requestId }));
      const inOrder = ids.map((requestId) => ({ sent: { requestId } }));
      expect(unmetBy([{ inOrder }], all)).toEqual([]);
      expect(unmetBy([{ inOrder: [...inOrder, { sent: {} }] }], all)).toHaveLength(1);
    }),
  );
});
