/** Listeners for requests and card exchanges: the log, and what the settings ask for. Without a listener nothing is watched. */
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { type Clock, systemTimer } from "./clock.js";
import type { TrafficAccess } from "./console/traffic.js";
import { Metrics } from "./health/metrics.js";
import { isSale } from "./http/endpoints.js";
import { logRefusal, logRequest, logsRequests } from "./http/request-log.js";
import { type SeenRequest, seenOf, seeRequests } from "./http/seen-request.js";
import type { ServerParts } from "./http/server.js";
import type { ExchangeWatch, WatchedExchange } from "./secure-element/watched-channel.js";
import { SHOP_TRAFFIC_BOUNDS, TrafficLog } from "./traffic/traffic-log.js";

export interface ObservationParts {
  readonly log: Logger;
  /** The one that the settings put in front of the interface. */
  readonly pathSegment: string | undefined;
  /** Whether anything is measured. */
  readonly measures: boolean;
  /** Minutes for which requests of tills are kept; 0 for not at all. */
  readonly trafficMinutes: number;
  /** The service's. */
  readonly clock: Clock;
}

/** How long something takes, on no clock that anybody sets. */
const now = () => systemTimer.now();

export class Observation {
  /** In front of all handlers. */
  readonly see: RequestHandler | undefined;
  /** In front of the guard. */
  readonly watch: RequestHandler | undefined;
  readonly trafficAccess: TrafficAccess | undefined;
  /** For requests that no handler sees. */
  readonly refused: ServerParts["refused"];
  /** At every exchange with the card. */
  readonly card: ExchangeWatch | undefined;

  /** Undefined where nothing is measured. */
  readonly metrics: Metrics | undefined;

  constructor({ log, pathSegment, measures, trafficMinutes, clock }: ObservationParts) {
    const ended: ((seen: SeenRequest) => void)[] = [];
    const exchanged: ((exchange: WatchedExchange) => void)[] = [];
    if (logsRequests(log)) {
      ended.push((seen) => logRequest(log, seen, pathSegment));
      this.refused = (refusal, request) => logRefusal(log, refusal, request?.method, request?.url);
    }
    if (measures) {
      const metrics = new Metrics();
      this.metrics = metrics;
      ended.push((seen) => {
        if (isSale(seen.request)) metrics.answered(seen);
      });
      exchanged.push(({ operation, ms }) => {
        if (operation === "sign") metrics.signed(ms);
      });
    }
    if (ended.length > 0) {
      exchanged.push(({ by, ms }) => {
        const seen = seenOf(by);
        if (seen) seen.cardMs += ms;
      });
      this.see = seeRequests(now, all(ended));
    }
    if (trafficMinutes > 0) {
      const traffic = new TrafficLog(() => clock, systemTimer, SHOP_TRAFFIC_BOUNDS);
      this.trafficAccess = { log: traffic, removeOld: () => traffic.forgetOlderThan(trafficMinutes * 60_000) };
      exchanged.push(({ by, describe }) => traffic.exchanged(by, describe));
      this.watch = traffic.handler(
        () => undefined,
        () => pathSegment,
      );
    }
    if (exchanged.length > 0) this.card = { now, exchanged: all(exchanged) };
  }
}

function all<T>(listeners: readonly ((told: T) => void)[]): (told: T) => void {
  return (seen) => {
    for (const listener of listeners) listener(seen);
  };
}
