/** Fits the lines of a journal to the paper. */

export const COLUMNS = 40;

/** Characters that turn the text after them around, for a class of a regular expression. */
const TURNING = "\\u202a-\\u202e\\u2066-\\u2069";

/**
 * Characters that no printed text may have, for a class of a regular expression: control characters, lone surrogates,
 * line separators, and characters that turn text around. They could forge lines of the receipt.
 */
export const UNPRINTABLE = `\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}${TURNING}`;

/** Matches an amount at the end of a line. Such an amount stays on the right when the line is folded. */
const AMOUNT = /^-?[\d.,]+[.,]\d\d$/;

const TURNS = new RegExp(`[${TURNING}]`, "g");

/** Returns the journal's lines as the paper shows them. A line that is wider than the paper continues on the next line. */
export function onPaper(journal: readonly string[]): string[] {
  return journal.map(visible).flatMap(folded);
}

function folded(line: string): string[] {
  const points = [...line.replace(/ +$/, "")];
  if (points.length <= COLUMNS) return [[...line].slice(0, COLUMNS).join("")];
  const space = points.lastIndexOf(" ", COLUMNS);
  const end = space > 0 ? space : COLUMNS;
  const rest = points.slice(space > 0 ? end + 1 : end).join("");
  return [points.slice(0, end).join(""), ...(AMOUNT.test(rest) ? [rest.padStart(COLUMNS)] : folded(rest))];
}

/** Shows bidirectional control characters; turns a tab into one space, because the journal counts it as one column. */
function visible(line: string): string {
  return line.replaceAll(TURNS, "\ufffd").replaceAll("\t", " ");
}
