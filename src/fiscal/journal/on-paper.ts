/** The lines of a journal as printed on paper. */

/** Columns of a receipt. */
export const COLUMNS = 40;

/** An amount at the end of a line; it stays on the right. */
const AMOUNT = /^-?[\d.,]+[.,]\d\d$/;

/** Continues lines that are wider than the paper on the next line. */
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

/** Replaces bidirectional control characters with visible ones; a tab is one column, as in the journal. */
function visible(line: string): string {
  return line.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd").replaceAll("\t", " ");
}
