/** Reads the code and the message of a thrown value, which need not be an Error. */

/**
 * Returns the code that the system or a library gave an error, such as EADDRINUSE; undefined if the error has no code.
 * The function does not check `instanceof Error`, because under Jest, Node's errors come from another realm.
 */
export function codeOf(error: unknown): string | undefined {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined;
}

/** Returns the message of an error, or the text of any other value that was thrown. */
export function messageOf(error: unknown): string {
  return typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);
}
