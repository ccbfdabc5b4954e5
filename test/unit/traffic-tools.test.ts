/** The page Traffic: a request as a timeline, and the difference between two requests. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonDifference } from "../../src/console/web/json-difference.js";
import { timelineOf } from "../../src/console/web/timeline-rows.js";

const say = (key: string) => key;
const APDU = { operation: "sign", command: "00", result: "9000" };

it("a timeline has HTTP, queue, disk, each exchange with the card, disk and answer, in their order", () => {
  const rows = timelineOf(
    {
      ms: 100,
      apdus: [APDU],
      steps: [
        { kind: "body", from: 0, ms: 2 },
        { kind: "disk", from: 12, ms: 3 },
        { kind: "card", from: 15, ms: 60 },
        { kind: "disk", from: 80, ms: 5 },
      ],
    },
    say,
  );
  expect(rows).toEqual([
    { kind: "http", name: "timelineHttp", from: 0, ms: 2 },
    { kind: "wait", name: "timelineQueue", from: 2, ms: 10 },
    { kind: "disk", name: "timelineDisk", from: 12, ms: 3 },
    { kind: "card", name: "sign", from: 15, ms: 60 },
    { kind: "disk", name: "timelineDisk", from: 80, ms: 5 },
    { kind: "answer", name: "answer", from: 85, ms: 15 },
  ]);
});

it("a timeline of a request that needs neither card nor store is its answer", () => {
  expect(timelineOf({ ms: 3, apdus: [], steps: [] }, say)).toEqual([
    { kind: "answer", name: "answer", from: 0, ms: 3 },
  ]);
});

it("the difference between two JSON texts names each field that differs, is missing, or is written otherwise", () => {
  const one = '{"items":[{"name":"a","quantity":1.0}],"cashier":"Ana"}';
  const other = '{"items":[{"name":"b","quantity":1}],"buyerId":"10:1"}';
  expect(jsonDifference(one, other)).toEqual([
    { path: "items[0].name", one: '"a"', other: '"b"' },
    { path: "items[0].quantity", one: "1.0", other: "1" },
    { path: "cashier", one: '"Ana"', other: undefined },
    { path: "buyerId", one: undefined, other: '"10:1"' },
  ]);
  expect(jsonDifference("no json", "{}")).toHaveLength(1);
});

it("the difference between two JSON texts is empty exactly for texts with the same fields", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
      expect(jsonDifference(first, first)).toEqual([]);
      expect(jsonDifference(first, JSON.stringify(one, null, 2))).toEqual([]);
      if (first !== second && typeof one !== "object" && typeof other !== "object") {
        expect(jsonDifference(first, second)).toHaveLength(1);
      }
    }),
  );
});
