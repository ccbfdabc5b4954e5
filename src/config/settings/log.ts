/** What the service says about its work: traffic, metrics and log. */
import { BOOLEAN, type SettingRows, TEXT } from "./row.js";

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export const LOG_SETTINGS = {
  trafficMinutes: {
    schema: { type: "integer", minimum: 0, maximum: 10_080 },
    default: 0,
    description:
      "with a card: minutes for which the console's page Traffic shows what tills have sent and got, in memory only and with PINs masked; 0 keeps nothing. The emulator keeps its traffic anyway",
    scope: "behaviour",
  },
  metrics: {
    schema: BOOLEAN,
    default: false,
    description:
      "answer /metrics in Prometheus' text format: on the machine itself, or with `consoleToken` to who has the token (Authorization: Bearer)",
    scope: "behaviour",
  },
  logLevel: {
    schema: { type: "string", enum: LOG_LEVELS },
    default: "warn",
    description:
      "least severe line of the log, which is NDJSON on standard error; `info` has a line for each request, without bodies and PINs",
    scope: "machine",
  },
  logFile: {
    schema: TEXT,
    description:
      "file for the log, instead of standard error; it is rotated. If it cannot be written, its lines go to standard error",
    scope: "machine",
  },
  logFileSize: {
    schema: { type: "integer", minimum: 1, maximum: 1_024 },
    default: 10,
    description: "MiB of `logFile` after which it becomes `.1`, `.1` becomes `.2`, and so on",
    scope: "machine",
  },
  logFileCount: {
    schema: { type: "integer", minimum: 1, maximum: 100 },
    default: 5,
    description: "how many files `logFile` may be, the one that is written included; the oldest is deleted",
    scope: "machine",
  },
} as const satisfies SettingRows;
