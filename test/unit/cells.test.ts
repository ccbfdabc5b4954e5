/** Texts of receipts in a spreadsheet. */
import { expect, it } from "vitest";
import { withoutFormula } from "../../src/bookkeeping/cells.js";

it.each([
  ["=1+1", "'=1+1"],
  ["tea;=1+1", "tea;'=1+1"],
  ['tea;"=1+1";@x', `tea;"'=1+1";'@x`],
  ["tea; ＝1", "tea; '＝1"],
  ["2 + 2 = 4; -5 %", "2 + 2 = 4; '-5 %"],
  ["half-price", "half-price"],
])("%j becomes %j, so that no cell begins with a formula", (text, cell) => {
  expect(withoutFormula(text)).toBe(cell);
});
