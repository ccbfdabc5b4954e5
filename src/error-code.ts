/** The system's or a library's own code of an error, such as EADDRINUSE; undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
