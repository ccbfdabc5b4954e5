/** Rules for warnings that come before a sale is stopped. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { AUDIT_DUE_PERCENT, isAuditDue, isLimitReached, reachesShare } from "../../src/fiscal/limit.js";
import { certificateState, diskState, isClockOff, packagesState, RENEWAL_DAYS } from "../../src/state/rules.js";

const DAY = 24 * 3600 * 1000;
const amount = fc.bigInt({ min: 0n, max: 2n ** 56n });

it("a card's limit is announced before it is reached, and shares are reached in order", () => {
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 1, max: 100 }), (sum, limit, percent) => {
      const amounts = { sum, limit };
      if (isLimitReached(amounts)) expect(isAuditDue(amounts)).toBe(true);
      if (reachesShare(amounts, percent)) expect(reachesShare(amounts, percent - 1)).toBe(true);
      expect(isAuditDue(amounts)).toBe(reachesShare(amounts, AUDIT_DUE_PERCENT));
    }),
  );
});

it("a card's limit is due from exactly 75 % on", () => {
  expect([isAuditDue({ sum: 7499n, limit: 10_000n }), isAuditDue({ sum: 7500n, limit: 10_000n })]).toEqual([
    false,
    true,
  ]);
});

it("a certificate has one state at any time, and warns before it expires", () => {
  fc.assert(
    fc.property(fc.integer({ min: -400, max: 400 }), (days) => {
      const { state, daysLeft } = certificateState({ validFrom: -1000 * DAY, validTo: days * DAY }, 0);
      expect(daysLeft).toBe(days);
      expect(state).toBe(days < 0 ? "ended" : days <= RENEWAL_DAYS ? "ends-soon" : "valid");
    }),
  );
});

it("less room never gives a better state", () => {
  const order = ["full", "low", "well"];
  fc.assert(
    fc.property(fc.nat(2 ** 30), fc.nat(2 ** 30), (free, more) => {
      expect(order.indexOf(diskState(free))).toBeLessThanOrEqual(order.indexOf(diskState(free + more)));
    }),
  );
});

it("a clock is off by the same amount in both directions, and 1 s is never off", () => {
  fc.assert(
    fc.property(fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.nat(86_400), (ahead, tolerance) => {
      expect(isClockOff(ahead, tolerance)).toBe(isClockOff(-ahead, tolerance));
      if (Math.abs(ahead) <= 1_000) expect(isClockOff(ahead, tolerance)).toBe(false);
    }),
  );
});

it("sales without a proof give a warning from 90 % on", () => {
  expect([89, 90, 99, 100].map((unsent) => packagesState(unsent, 100))).toEqual([
    "well",
    "soon-full",
    "soon-full",
    "full",
  ]);
});
