/** Puts an apostrophe before a text that a spreadsheet would read as a formula, as csv-stringify does. */
export function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/.test(text) ? `'${text}` : text;
}
