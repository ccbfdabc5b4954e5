/** Traffic with a real card: what tills have sent and got, in memory, for as long as the setting trafficMinutes says. */
import type { RequestHandler } from "express";
import { toIso } from "../fiscal/time.js";
import { partOf, type TrafficLog } from "../traffic/traffic-log.js";
import type { TrafficRecord } from "./records.js";

export interface TrafficAccess {
  readonly log: TrafficLog;
  /** Removes what is older than the setting says. */
  readonly removeOld: () => void;
}

export function trafficHandlers({ log, removeOld }: TrafficAccess) {
  const traffic: RequestHandler = (request, response) => {
    removeOld();
    const entries: TrafficRecord[] = log
      .part(partOf(request.query))
      .map((entry) => ({ ...entry, at: toIso(entry.at) }));
    response.setHeader("Cache-Control", "no-store");
    response.json(entries);
  };
  const forgetTraffic: RequestHandler = (_request, response) => {
    log.clear();
    response.status(204).end();
  };
  return { traffic, forgetTraffic };
}
