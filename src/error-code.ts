/**
 * The system's or a library's code of an error, such as EADDRINUSE; undefined if it has none. Asks for no instance of
 * Error: under Jest, Node's errors are instances of another realm's Error.
 */
export function codeOf(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined;
}
