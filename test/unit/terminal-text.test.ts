/** Tables and lines that commands print. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesText, tableLines, VERDICT_WORDS } from "../../src/base/terminal-text.js";

describe("a table on the terminal", () => {
  it("aligns its columns, two spaces apart, and pads no last cell", () => {
    expect(
      tableLines([
        ["port", "8431", "(default)"],
        ["host", "localhost", "(flag)"],
        ["", "address"],
      ]),
    ).toEqual(["port  8431       (default)", "host  localhost  (flag)", "      address"]);
    expect(tableLines([])).toEqual([]);
  });

  it("starts every column of every row in the same place, and never breaks a line", () => {
    const cell = fc.string({ maxLength: 8 });
    const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(table, (rows) => {
        const marked = rows.map(([a, b, c]) => [`<${a}`, `[${b.replaceAll("[", "")}`, `{${c}`]);
        const places = tableLines(marked.map(([a = "", ...rest]) => [a.replaceAll("[", ""), ...rest])).map((line) => {
          expect(line).not.toMatch(/\p{C}/u);
          return line.indexOf("[");
        });
        expect(new Set(places).size).toBe(1);
      }),
    );
  });

  it("escapes control characters, in tables and in lines", () => {
    expect(tableLines([["a\u001b[2J", "b"]])).toEqual(["a\\u001b[2J  b"]);
    expect(linesText(["one\r", "two"])).toBe("one\\u000d\ntwo\n");
  });

  it("pads verdicts to the same width", () => {
    expect(new Set(Object.values(VERDICT_WORDS).map((word) => word.length)).size).toBe(1);
  });
});
