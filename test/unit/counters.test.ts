/** The letters of a counter: two in each script, each with one meaning. */
import { expect, it } from "vitest";
import { counterExtension, KINDS, kindOf } from "../../src/fiscal/counters.js";

it("the letters of a counter name the kind of a receipt in each script", () => {
  for (const kind of KINDS) {
    for (const language of ["sr-Cyrl-RS", "sr-Latn-RS", "en-US"] as const) {
      expect(kindOf(counterExtension(kind.invoiceType, kind.transactionType, language))).toEqual(kind);
    }
  }
  expect(kindOf("XX")).toBeUndefined();
});
