/** How a command ends: by a signal, and without waiting for a hanging card. */
import type { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";

/**
 * Ends the process at once. process.exit waits for libuv's threads, and a hanging card blocks one without limit. Everything that
 * must be written is on the disk by now, so a signal ends the process.
 */
export function endProcess(status: number, stuck: boolean): void {
  if (stuck) process.kill(process.pid, "SIGKILL");
  process.exit(status);
}

/**
 * Ctrl-C, the end of a session or a unit, and a terminal that closes. On Windows, Node turns Ctrl-Break into SIGBREAK and a closed
 * console into SIGHUP, and Windows ends the process about 10 s after it closed the console. SIGTERM ends a process on Windows at
 * once and cannot be caught there: `tillseal stop` works on every system.
 */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

/** @param end called once per signal; a second signal of the same kind has the system's default effect */
export function onEndSignal(end: () => void): void {
  for (const signal of END_SIGNALS) process.once(signal, end);
}

/** Readers that the command has opened. They end with the process, which does not wait for a hanging card. */
const opened: PcscReader[] = [];

export function trackReader(reader: PcscReader): void {
  opened.push(reader);
}

/** Called at the end of a command. */
export function exitAfterReaders(): void {
  if (opened.length === 0) return;
  const stuck = opened.some((reader) => reader.stuck);
  // The callback runs when the output is written.
  process.stdout.write("", () => endProcess(Number(process.exitCode ?? 0), stuck));
}
