/**
 * The console's requests about traffic with a real card. The service keeps POS requests and answers in memory, for as
 * many minutes as the setting trafficMinutes says.
 */
import type { RequestHandler } from "express";
import { toIso } from "../fiscal/time.js";
import { partOf, type TrafficLog } from "../http/traffic/traffic-log.js";
import type { TrafficRecord } from "./records/traffic.js";

export interface TrafficAccess {
  readonly log: TrafficLog;
  /** Removes entries that are older than the setting allows. */
  readonly removeOld: () => void;
}

export function trafficHandlers({ log, removeOld }: TrafficAccess) {
  const traffic: RequestHandler = (request, response) => {
    removeOld();
    const entries: TrafficRecord[] = log
      .part(partOf(request.query))
      .map((entry) => ({ ...entry, at: toIso(entry.at) }));
    response.json(entries);
  };
  const forgetTraffic: RequestHandler = (_request, response) => {
    log.clear();
    response.status(204).end();
  };
  return { traffic, forgetTraffic };
}
