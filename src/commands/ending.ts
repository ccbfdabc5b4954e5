/** Ends a command: on a signal, and without waiting for a hanging card. */
import type { PcscReader } from "../secure-element/pcsc/pcsc-reader.js";
import { surroundings } from "./surroundings.js";

/**
 * Ends the process at once. process.exit waits for libuv's threads, and a hanging card blocks such a thread without
 * limit. All data that must be written is on the disk by now, so the process may kill itself with a signal.
 */
export function endProcess(status: number, stuck: boolean): void {
  if (stuck) process.kill(process.pid, "SIGKILL");
  surroundings().exit(status);
}

/**
 * Signals that end a command: Ctrl-C, the end of a session or a unit, and a terminal that closes. On Windows, Node
 * turns Ctrl-Break into SIGBREAK and a closed console into SIGHUP, and Windows ends the process about 10 s after it
 * closed the console. On Windows, SIGTERM ends a process at once and cannot be caught. `tillseal stop` works on every
 * system.
 */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"] as const;

/** @param end called once per signal; a second signal of the same kind has the system's default effect */
export function onEndSignal(end: () => void): void {
  for (const signal of END_SIGNALS) surroundings().once(signal, end);
}

/** The command's readers. They stay open until the process ends, which does not wait for a hanging card. */
const opened: PcscReader[] = [];

export function trackReader(reader: PcscReader): void {
  opened.push(reader);
}

/** Ends the process at once, beside readers that the command may have opened. */
export function endBesideReaders(status = Number(process.exitCode ?? 0)): void {
  const stuck = opened.some((reader) => reader.stuck);
  endProcess(status, stuck);
}

/** Ends the process at the end of a command if the command has opened a reader. */
export function exitAfterReaders(): void {
  if (opened.length === 0) return;
  // The callback runs when all output is written, or cannot be written: then `main` says so, and ends the process.
  process.stdout.write("", (error) => {
    if (!error) endBesideReaders();
  });
}
