/** Rules for warnings that come before a sale is stopped. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { AUDIT_DUE_PERCENT, isAuditDue, isLimitReached, reachesShare } from "../../src/fiscal/limit.js";
import { isClockOff } from "../../src/state/rules.js";

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

it("a clock is off by the same amount in both directions, and 1 s is never off", () => {
  fc.assert(
    fc.property(fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.nat(86_400), (ahead, tolerance) => {
      expect(isClockOff(ahead, tolerance)).toBe(isClockOff(-ahead, tolerance));
      if (Math.abs(ahead) <= 1_000) expect(isClockOff(ahead, tolerance)).toBe(false);
    }),
  );
});
