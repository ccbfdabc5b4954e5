/**
 * Puts an apostrophe before what a spreadsheet would read as a formula, as csv-stringify does. Where a comma separates decimals,
 * spreadsheets also begin a cell at each semicolon.
 */
export function withoutFormula(text: string): string {
  return text.replaceAll(/(^|;["' ]*)([=+\-@\t\r\uff0b\uff0d\uff1d\uff20])/g, "$1'$2");
}
