/** Settings for the traffic log, the metrics and the log. */
import { HAS_EMULATOR } from "../../base/package-root.js";
import { BOOLEAN, type SettingRows, TEXT } from "./row.js";

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export const LOG_SETTINGS = {
  trafficMinutes: {
    schema: { type: "integer", minimum: 0, maximum: 10_080 },
    default: 0,
    description: `${HAS_EMULATOR ? "with a real card: " : ""}how many minutes the console's page Traffic keeps what tills sent and received, in memory only and with PINs masked; 0 keeps nothing${HAS_EMULATOR ? ". The emulator always keeps its traffic" : ""}`,
    scope: "behaviour",
  },
  metrics: {
    schema: BOOLEAN,
    default: false,
    description:
      "answer /metrics in Prometheus' text format, to callers on this machine, or with `consoleToken` to callers with the token (Authorization: Bearer)",
    scope: "behaviour",
  },
  logLevel: {
    schema: { type: "string", enum: LOG_LEVELS },
    default: "warn",
    description:
      "lowest level that is logged, as NDJSON on standard error; `info` has a line for each request, without bodies and PINs",
  },
  logFile: {
    schema: TEXT,
    description:
      "file for the log instead of standard error; at 10 MiB it becomes `.1`, and five files are kept. If it cannot be written, lines go to standard error",
  },
} as const satisfies SettingRows;
