/**
 * Makes the listeners for requests and card exchanges: for the log, and for metrics and the traffic log if the
 * settings ask for them. Without a listener, nothing is watched.
 */
import type { RequestHandler } from "express";
import { systemTimer } from "../base/clock.js";
import { Repeater } from "../base/repeater.js";
import type { TrafficAccess } from "../console/traffic.js";
import { isSale } from "../http/endpoints.js";
import { Metrics } from "../http/metrics.js";
import { factsOf, observeRequests, type RequestFacts } from "../http/request-facts.js";
import { logRefusal, logRequest } from "../http/request-log.js";
import type { ServerParts } from "../http/server.js";
import { SHOP_TRAFFIC_BOUNDS, TrafficLog } from "../http/traffic/traffic-log.js";
import type { ExchangeWatch, WatchedExchange } from "../secure-element/watched-channel.js";
import type { ServiceParts } from "./service-parts.js";

/** ms between removals of old traffic. */
const FORGET_INTERVAL_MS = 10_000;

/** Time for measuring durations. Setting the system's clock does not change it. */
const now = () => systemTimer.now();

export class Observation {
  readonly observeRequest: RequestHandler | undefined;
  readonly recordTraffic: RequestHandler | undefined;
  readonly trafficAccess: TrafficAccess | undefined;
  /** Removes old entries of the traffic log, also if the log is never read. */
  readonly forgetting: Repeater | undefined;
  /** Gets requests that are refused before any handler. */
  readonly refused: ServerParts["refused"];
  readonly wrote: TrafficLog["wrote"] | undefined;
  readonly card: ExchangeWatch | undefined;

  readonly metrics: Metrics | undefined;

  constructor({ settings, log, clock }: Pick<ServiceParts, "settings" | "log" | "clock">) {
    const { pathSegment, metrics: measures } = settings;
    // The emulator has its own, more capable traffic log.
    const trafficMinutes = settings.card === "pcsc" ? settings.trafficMinutes : 0;
    const ended: ((facts: RequestFacts) => void)[] = [];
    const exchanged: ((exchange: WatchedExchange) => void)[] = [];
    if (log.isLevelEnabled("info")) {
      ended.push((facts) => logRequest(log, facts, pathSegment));
      this.refused = (refusal, request) => logRefusal(log, refusal, request?.method, request?.url);
    }
    if (measures) {
      const metrics = new Metrics();
      this.metrics = metrics;
      ended.push((facts) => {
        if (isSale(facts.request)) metrics.answered(facts);
      });
      exchanged.push(({ operation, ms }) => {
        if (operation === "sign") metrics.signed(ms);
      });
    }
    if (ended.length > 0) {
      exchanged.push(({ by, ms }) => {
        const facts = factsOf(by);
        if (facts) facts.cardMs += ms;
      });
      this.observeRequest = observeRequests(now, all(ended));
    }
    if (trafficMinutes > 0) {
      const traffic = new TrafficLog(() => clock, systemTimer, SHOP_TRAFFIC_BOUNDS);
      const removeOld = () => traffic.forgetOlderThan(trafficMinutes * 60_000);
      this.trafficAccess = { log: traffic, removeOld };
      this.forgetting = new Repeater(async () => removeOld(), systemTimer, FORGET_INTERVAL_MS, FORGET_INTERVAL_MS);
      exchanged.push(({ by, describe, ms }) => traffic.exchanged(by, describe, ms));
      this.wrote = traffic.wrote;
      this.recordTraffic = traffic.handler(
        () => undefined,
        () => pathSegment,
      );
    }
    if (exchanged.length > 0) this.card = { now, exchanged: all(exchanged) };
  }
}

function all<T>(listeners: readonly ((event: T) => void)[]): (event: T) => void {
  return (facts) => {
    for (const listener of listeners) listener(facts);
  };
}
