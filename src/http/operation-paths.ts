/** Addresses for programs that watch the service. */
export const METRICS_PATH = "/metrics";
export const READY_PATH = "/ready";

export const OPERATION_PATHS: ReadonlySet<string> = new Set([METRICS_PATH, READY_PATH]);
