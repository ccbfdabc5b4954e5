/** A text that a spreadsheet would take for a formula, with an apostrophe in front, as csv-stringify writes it. */
export function withoutFormula(text: string): string {
  return /^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/.test(text) ? `'${text}` : text;
}
