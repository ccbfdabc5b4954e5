/** Paths for monitoring. */
export const METRICS_PATH = "/metrics";
export const READY_PATH = "/ready";

export const OPERATION_PATHS: ReadonlySet<string> = new Set([METRICS_PATH, READY_PATH]);
