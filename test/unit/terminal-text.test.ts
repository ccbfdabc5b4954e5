/** Tables and lines that commands print. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { htmlReport } from "../../harness/scenario/report.js";
import { printable, printableText } from "../../src/base/printable.js";
import { jsonText, linesText, tableLines, VERDICT_WORDS } from "../../src/base/terminal-text.js";

it("a table on the terminal aligns its columns, two spaces apart, and pads no last cell", () => {
  expect(
    tableLines([
      ["port", "8431", "(default)"],
      ["host", "localhost", "(flag)"],
      ["", "address"],
    ]),
  ).toEqual(["port  8431       (default)", "host  localhost  (flag)", "      address"]);
  expect(tableLines([])).toEqual([]);
});

it("a table on the terminal starts every column of every row in the same place, and never breaks a line", () => {
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

it("a table on the terminal escapes control characters, in tables and in lines", () => {
  expect(tableLines([["a\u001b[2J", "b"]])).toEqual(["a\\u001b[2J  b"]);
  expect(linesText(["one\r", "two"])).toBe("one\\u000d\ntwo\n");
});

it("a table on the terminal escapes every control character in JSON, which means the same", () => {
  const hostile = fc.string({
    unit: fc.constantFrom("\u0000", "\n", "\u001b", "\u007f", "\u009b", "\u202e", "\\", '"', "a"),
  });
  // After a name that ends with a backslash, JSON.parse of Node 24.21 reads other names wrongly.
  const name = hostile.map((text) => `${text}k`);
  fc.assert(
    fc.property(fc.dictionary(name, fc.oneof(hostile, fc.string({ unit: "binary" }))), (value) => {
      const text = printableText(jsonText(value));
      expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(printableText(text)).toBe(text);
    }),
  );
});

it("a table on the terminal shows a character outside the BMP as JSON does", () => {
  expect(printable("\u{e0001}")).toBe("\\udb40\\udc01");
});

it("a table on the terminal pads verdicts to the same width", () => {
  expect(new Set(Object.values(VERDICT_WORDS).map((word) => word.length)).size).toBe(1);
});

/** Ends a terminal's line of control, begins one, and turns the text around. */
const CONTROLS = "a\u001b[2J\u009b2J\u202eb";

it("no text of a POS, a card or a service controls a terminal or turns around in a report in HTML", () => {
  const why = { wrong: CONTROLS, source: CONTROLS };
  const exchange = [{ id: 1, line: CONTROLS, text: CONTROLS }];
  const row = { id: CONTROLS, text: CONTROLS, outcome: "failed", why, exchange } as const;
  const receipt = { journal: `${CONTROLS}\n${CONTROLS}`, verificationUrl: CONTROLS };
  const report = { title: CONTROLS, about: [CONTROLS], rows: [row], receipts: [[CONTROLS, receipt]] } as const;
  const written = htmlReport(report);
  for (const control of ["\u001b", "\u009b", "\u202e"]) expect(written).not.toContain(control);
  expect(written.split("a\\u001b[2J\\u009b2J\\u202eb").length).toBeGreaterThan(9);
});
