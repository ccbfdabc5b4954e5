/** Makes the cells of a spreadsheet. */

const AMOUNT = /^-?\d+\.\d+$/;

/**
 * Makes the cells of a line: amounts with a decimal comma if `comma`, and no text that a spreadsheet would read as a
 * formula. A negative amount is no formula.
 */
export function cells(line: Readonly<Record<string, unknown>>, comma: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(line).map(([column, value]) => {
      if (typeof value !== "string") return [column, value];
      if (!AMOUNT.test(value)) return [column, withoutFormula(value)];
      return [column, comma ? value.replace(".", ",") : value];
    }),
  );
}

/**
 * Puts an apostrophe before a text that a spreadsheet would read as a formula, as csv-stringify does. It does so also
 * after a semicolon, because a spreadsheet with decimal commas begins a new cell at each semicolon.
 */
export function withoutFormula(text: string): string {
  return text.replaceAll(/(^|;["' ]*)([=+\-@\t\r\uff0b\uff0d\uff1d\uff20])/g, "$1'$2");
}
