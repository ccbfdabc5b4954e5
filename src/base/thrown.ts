/** Reads the code and the message of a thrown value, which need not be an Error. */

/**
 * The code that the system or a library gave an error, such as EADDRINUSE; undefined if it has none. Does not check
 * `instanceof Error`: under Jest, Node's errors come from another realm.
 */
export function codeOf(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined;
}

/** The message of an error, or the text of any other value that was thrown. */
export function messageOf(error: unknown): string {
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);
}
