/** Waits between attempts. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { backoff } from "../../src/authority/backoff.js";

const LIMITS = { first: 1_000, most: 600_000 };
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failures = fc.integer({ min: 1, max: 5_000 });

it("the wait before the next attempt doubles with each failure, up to the maximum", () => {
  const longest = [1, 2, 3, 10, 11, 5_000].map((count) => backoff(count, 0.999_999_999, LIMITS));
  expect(longest).toEqual([1_000, 2_000, 4_000, 512_000, 600_000, 600_000]);
});

it("the wait before the next attempt is a whole number of milliseconds between half of the full wait and all of it", () => {
  fc.assert(
    fc.property(failures, chance, (count, share) => {
      const full = Math.min(LIMITS.most, LIMITS.first * 2 ** (count - 1));
      const wait = backoff(count, share, LIMITS);
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(full / 2);
      expect(wait).toBeLessThanOrEqual(full);
    }),
  );
});

it("the wait before the next attempt never shrinks after another failure with the same random number", () => {
  fc.assert(
    fc.property(failures, chance, (count, share) => {
      expect(backoff(count + 1, share, LIMITS)).toBeGreaterThanOrEqual(backoff(count, share, LIMITS));
    }),
  );
});

it("the wait before the next attempt differs between clients that failed together", () => {
  const waits = Array.from({ length: 100 }, (_, index) => backoff(5, index / 100, LIMITS));
  expect(new Set(waits).size).toBe(100);
});
