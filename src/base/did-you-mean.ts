/** Suggests existing names for a name that does not exist. */

/** Returns a text such as `; did you mean pin?`, or "" if no name is close. Of a path, the last part is enough. */
export function didYouMean(written: string, names: readonly string[]): string {
  const near = nearest(written, names);
  return near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
}

/** Returns the names that are closest to a name that does not exist; none if no name is close. */
export function nearest(written: string, names: readonly string[]): readonly string[] {
  const wanted = written.toLowerCase();
  // A long text is not a typing error, and comparing it would take long.
  if (wanted.length > LONGEST) return [];
  const most = Math.min(MOST_EDITS, Math.floor(wanted.length * MOST_OF_IT));
  const near = names
    .map((name) => ({ name, edits: Math.min(...formsOf(name).map((form) => edits(wanted, form))) }))
    .filter((one) => one.edits <= most);
  const fewest = Math.min(...near.map((one) => one.edits));
  return near
    .filter((one) => one.edits === fewest)
    .map(({ name }) => name)
    .slice(0, MOST_NAMES);
}

const LONGEST = 100;
const MOST_EDITS = 3;
const MOST_OF_IT = 0.4;
const MOST_NAMES = 3;

function formsOf(name: string): string[] {
  const whole = name.toLowerCase();
  return [...new Set([whole, whole.slice(whole.lastIndexOf("/") + 1)])];
}

/** The number of letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function edits(from: string, to: string): number {
  // Keep the last two rows of the table, because a swap needs the row before the last one.
  let [before, last]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let fewest = Math.min((last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last?.[j - 1] ?? 0) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) fewest = Math.min(fewest, (before?.[j - 2] ?? 0) + 1);
      row[j] = fewest;
    }
    [before, last] = [last, row];
  }
  return last?.[to.length] ?? 0;
}
