/**
 * The code that the system or a library gave an error, such as EADDRINUSE; undefined if it has none. Does not check
 * `instanceof Error`: under Jest, Node's errors come from another realm.
 */
export function codeOf(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined;
}
