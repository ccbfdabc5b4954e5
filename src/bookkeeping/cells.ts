/**
 * Puts an apostrophe before a text that a spreadsheet would read as a formula, as csv-stringify does. It does so also
 * after a semicolon, because a spreadsheet with decimal commas begins a new cell at each semicolon.
 */
export function withoutFormula(text: string): string {
  return text.replaceAll(/(^|;["' ]*)([=+\-@\t\r\uff0b\uff0d\uff1d\uff20])/g, "$1'$2");
}
