/**
 * Writes out long lists. A scenario has `{ $repeat: { times: 1001, value: { ... } } }` where a list is too long to
 * read.
 */

/** The largest number of entries of a list. The service accepts far fewer entries. */
const MOST = 1_000_000;

/**
 * Returns a copy in which each `$repeat` is a full list.
 * @throws RangeError if `times` is not a possible length, or if `value` is missing
 */
export function repeated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(repeated);
  if (typeof value !== "object" || value === null) return value;
  if ("$repeat" in value) return listOf(value.$repeat);
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, repeated(entry)]));
}

function listOf(repeat: unknown): unknown[] {
  const { times, value } = (repeat ?? {}) as { times?: unknown; value?: unknown };
  if (!Number.isInteger(times) || Number(times) < 0 || Number(times) > MOST || value === undefined) {
    throw new RangeError(`$repeat needs a value and times, a number from 0 to ${MOST}`);
  }
  return new Array(Number(times)).fill(repeated(value));
}
