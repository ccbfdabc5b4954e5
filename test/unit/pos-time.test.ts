/** Times that a POS writes on an invoice. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { isInRange, isTimeOf, receiptTime, soldTime } from "../../src/fiscal/pos-time.js";
import { readPosTime } from "../../src/fiscal/time.js";
import { momentOf, toLocalIso, wallIn } from "../../src/fiscal/zoned.js";

const ZONES = ["Europe/Belgrade", "Pacific/Apia", "America/New_York", "America/St_Johns", "Asia/Kathmandu", "UTC"];

function sold(text: string, timeZone = "Europe/Belgrade") {
  const time = readPosTime(text);
  if (time === undefined) throw new Error(`${text} is not a time`);
  const { printed, instant } = soldTime(time, timeZone);
  return [printed, new Date(instant).toISOString()];
}

it.each([
  ["2026-07-01T12:00:00", "2026-07-01T12:00:00.000"],
  ["2026-07-01 12:00:00", "2026-07-01T12:00:00.000"],
  ["2026/07/01 12:00:00", "2026-07-01T12:00:00.000"],
  ["2026-07-01T12:00", "2026-07-01T12:00:00.000"],
  ["2026-07-01t12:00:00.5z", "2026-07-01T12:00:00.500Z"],
  ["2026-07-01T12:00:00.999999999Z", "2026-07-01T12:00:00.999Z"],
  ["2026-07-01T12:00:00.0000000000000001+0200", "2026-07-01T12:00:00.000+02:00"],
  ["2026-07-01T12:00:00-03", "2026-07-01T12:00:00.000-03:00"],
  [" 2024-02-29T23:59:59 +05:45 ", "2024-02-29T23:59:59.000+05:45"],
])("a time of a POS %s is read as %s", (text, time) => expect(readPosTime(text)).toBe(time));

it.each([
  ["2026-02-29T12:00:00", "2026-07-01T24:00:00", "2026-07-01T12:00:60", "2026-07-01T12:00:00+15:00"],
  ["2026-07/01 12:00:00", "2026-07-01T12:00:00.", "12026-07-01T12:00:00", "2026-07-01", "now", ""],
  ["2026-13-01T12:00:00", "2026-00-10T12:00:00", "2026-06-31T12:00:00", "2026-07-01T12:60", "2026-07-01T12:00:00+2"],
])("a time of a POS does not exist if it is %s, %s, %s or %s", (...texts) => {
  for (const text of texts) expect([text, readPosTime(text)]).toEqual([text, undefined]);
});

it.each([
  ["0001-01-01T00:00:00", false],
  ["1900-01-01T00:00:00.999", false],
  ["1900-01-01T00:00:01+14:00", true],
  ["9999-12-31T23:59:59.999-14:00", true],
])("a time of a POS %s is in the range: %s", (text, is) => expect(isInRange(readPosTime(text) ?? "")).toBe(is));

it.each([
  // Belgrade is two hours ahead in summer, one in winter.
  ["2026-07-01T12:00:00", "2026-07-01T12:00:00", "2026-07-01T10:00:00.000Z"],
  ["2026-07-01T12:00:00Z", "2026-07-01T12:00:00", "2026-07-01T12:00:00.000Z"],
  ["2026-07-01T12:00:00-04:00", "2026-07-01T18:00:00", "2026-07-01T16:00:00.000Z"],
  // The clock skips 02:00 to 03:00 on 2026-03-29, and repeats it on 2026-10-25.
  ["2026-03-29T02:30:00", "2026-03-29T02:30:00", "2026-03-29T01:30:00.000Z"],
  ["2026-03-29T01:30:00+01:00", "2026-03-29T01:30:00", "2026-03-29T00:30:00.000Z"],
  ["2026-10-25T02:30:00", "2026-10-25T02:30:00", "2026-10-25T00:30:00.000Z"],
  ["9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59", "9999-12-31T23:59:59.999Z"],
])("a time of a POS %s is printed as %s and is the instant %s", (text, ...expected) =>
  expect(sold(text)).toEqual(expected),
);

it("a time of a POS on the day that Samoa skipped counts with the offset before it", () => {
  const expected = ["2011-12-30T12:00:00", "2011-12-30T22:00:00.000Z"];
  expect(sold("2011-12-30T12:00:00", "Pacific/Apia")).toEqual(expected);
});

it("a time of a POS is that of a receipt in every form of the receipt's time, and no other second is", () => {
  const moments = fc.integer({ min: Date.UTC(2005), max: Date.UTC(2040) });
  const forms = fc.constantFrom(
    (at: number, zone: string) => wallIn(at, zone),
    (at: number, zone: string) => `${wallIn(at, zone)}Z`,
    (at: number, zone: string) => wallIn(at, zone).replaceAll("-", "/").replace("T", " "),
    (at: number, zone: string) => toLocalIso(at, zone),
    (at: number) => new Date(at).toISOString(),
    (at: number, _: string, other: string) => toLocalIso(at, other),
  );
  const zones = fc.constantFrom(...ZONES);
  fc.assert(
    fc.property(moments, forms, zones, zones, (at, form, zone, other) => {
      const receipt = receiptTime(toLocalIso(at, zone));
      const [same, later] = [at, at + 1000].map((moment) => readPosTime(form(moment, zone, other)) ?? "");
      expect(isTimeOf(same ?? "", receipt, zone)).toBe(true);
      expect(isTimeOf(later ?? "", receipt, zone)).toBe(false);
    }),
  );
});

it("a moment on a clock is found again from what the clock shows; a repeated hour is the earlier one", () => {
  const moments = fc.integer({ min: Date.UTC(1950), max: Date.UTC(2040) });
  fc.assert(
    fc.property(moments, fc.constantFrom(...ZONES), (moment, zone) => {
      const shown = wallIn(moment, zone);
      const found = momentOf(shown, zone).getTime();
      expect(wallIn(found, zone)).toBe(shown);
      expect(found).toBeLessThanOrEqual(moment);
    }),
  );
});

it("a moment on a clock is written with its offset and three digits", () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(1973), max: Date.UTC(2040) }), fc.constantFrom(...ZONES), (moment, zone) => {
      const text = toLocalIso(moment, zone);
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
      expect(Date.parse(text)).toBe(moment);
    }),
  );
  expect(toLocalIso(Date.UTC(2026, 6, 1, 10), "Europe/Belgrade")).toBe("2026-07-01T12:00:00.000+02:00");
  expect(toLocalIso(Date.UTC(2026, 0, 1), "America/St_Johns")).toBe("2025-12-31T20:30:00.000-03:30");
});
