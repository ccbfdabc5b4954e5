/** The log: NDJSON lines on stderr, written when they are said. */
import { type Logger, pino } from "pino";
import type { Settings } from "./config/settings.js";

/** One for all: each has a hook at the end of the process that asks the disk to write. */
let stderr: ReturnType<typeof pino.destination> | undefined;

export function logOf(level: Settings["logLevel"]): Logger {
  stderr ??= pino.destination({ fd: 2, sync: true });
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, stderr);
}
