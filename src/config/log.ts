/** Opens the log. It has NDJSON lines, which are written at once to stderr or into a file. */
import { type Logger, pino } from "pino";
import { LogFile } from "../base/log-file.js";
import { printableText } from "../base/printable.js";
import type { Settings } from "./settings.js";

export type LogSettings = Pick<Settings, "logLevel" | "logFile">;

/** A file becomes `.1` at this size. With the current one, five files are kept. */
const ROTATION = [10 * 1024 * 1024, 5] as const;

/** All loggers share this destination, because each destination adds an exit hook that flushes to disk. */
let stderr: ReturnType<typeof pino.destination> | undefined;
/** The writers of log files, by file. Each file has only one writer, because two writers would rotate it twice. */
const files = new Map<string, LogFile>();

export function logOf({ logLevel: level, logFile }: LogSettings): Logger {
  // JSON escapes C0 only; a terminal obeys other control characters, too.
  const options = { level, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: printableText } };
  if (logFile === undefined) return pino(options, toStderr());
  const file = files.get(logFile) ?? new LogFile(logFile, ...ROTATION, (line) => toStderr().write(line));
  files.set(logFile, file);
  return pino(options, file);
}

function toStderr(): NonNullable<typeof stderr> {
  stderr ??= pino.destination({ fd: 2, sync: true });
  return stderr;
}
