/** Days of a shop's calendar. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { dayAfter, isDay, localIn, momentOf } from "../../src/fiscal/zoned.js";

// Beirut skips midnight in spring, Havana repeats it in autumn.
const ZONES = ["Europe/Belgrade", "America/Havana", "Asia/Beirut", "America/Santiago", "Asia/Kathmandu", "UTC"];

it("a day begins with its first moment, whatever the clocks do at midnight", () => {
  const days = fc.integer({ min: 0, max: 4000 }).map((n) => dayAfter("2020-01-01", n));
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), days, (timeZone, day) => {
      const begins = momentOf(`${day}T00:00`, timeZone).getTime();
      expect(localIn(begins, timeZone)[0]).toBe(day);
      expect(localIn(begins - 1, timeZone)[0]).toBe(dayAfter(day, -1));
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ["2026-11-21", true],
  ["2026-13-01", false],
  ["2026-11-41", false],
  ["0020-01-01", false],
  ["2026-1-1", false],
  ["2026-02-30", false],
  ["2025-02-29", false],
  ["2024-02-29", true],
])("%s is a day: %s", (text, is) => expect(isDay(text)).toBe(is));
