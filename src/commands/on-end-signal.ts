/** The signals that end a long-running command. */

/**
 * Ctrl-C, the end of a session or a unit, and a terminal that closes. On Windows, Node turns Ctrl-Break into SIGBREAK and a closed
 * console into SIGHUP, and Windows ends the process about 10 s after it closed the console. SIGTERM ends a process on Windows at
 * once and cannot be caught there: `tillseal stop` works on every system.
 */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

/** @param end called once per signal; a second one of the same kind has the system's default effect */
export function onEndSignal(end: () => void): void {
  for (const signal of END_SIGNALS) process.once(signal, end);
}
