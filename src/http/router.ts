/** Serves monitoring: /ready to every caller that the guard lets in, /metrics to callers who may see receipts. */
import { Router } from "express";
import { type ServiceStateSources, serviceState } from "../state/service-state.js";
import { missingToSell } from "../state/status-codes.js";
import { CONTENT_TYPE, type Measured, type Metrics } from "./metrics.js";
import { sendJsonText } from "./respond.js";
import { onlyTrusted, type Trust } from "./trust.js";

const METRICS_PATH = "/metrics";
const READY_PATH = "/ready";

export const OPERATION_PATHS: ReadonlySet<string> = new Set([METRICS_PATH, READY_PATH]);

export interface HealthParts {
  readonly sources: ServiceStateSources;
  /** The metrics; undefined if the setting `metrics` is off. */
  readonly metrics: Metrics | undefined;
  readonly measured: () => Measured;
  readonly trusts: Trust;
  /** Whether a token decides who may see receipts, instead of the caller's address. */
  readonly asksToken: boolean;
}

export function healthRouter({ sources, metrics, measured, trusts, asksToken }: HealthParts): Router {
  const router = Router();
  router.get(READY_PATH, async (_request, response) => {
    const missing = missingToSell((await serviceState(sources)).findings);
    response.status(missing.length === 0 ? 200 : 503);
    response.setHeader("Cache-Control", "no-store");
    sendJsonText(response, JSON.stringify({ ready: missing.length === 0, missing }));
  });
  if (metrics) {
    router.get(METRICS_PATH, onlyTrusted(trusts, asksToken), async (_request, response) => {
      const text = metrics.text(await serviceState(sources), measured());
      response.setHeader("Content-Type", CONTENT_TYPE);
      response.end(text);
    });
  }
  return router;
}
