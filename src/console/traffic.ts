/**
 * The console's requests about traffic with a real card. The service keeps POS requests and answers in memory, for as
 * many minutes as the setting trafficMinutes says.
 */
import { toIso } from "../fiscal/time.js";
import type { EndpointCall } from "../http/endpoint-router.js";
import { partOf, type TrafficLog } from "../http/traffic/traffic-log.js";
import type { TrafficRecord } from "./records/traffic.js";

export interface TrafficAccess {
  readonly log: TrafficLog;
  /** Removes entries that are older than the setting allows. */
  readonly removeOld: () => void;
}

export function trafficHandlers({ log, removeOld }: TrafficAccess) {
  return {
    traffic: ({ query }: EndpointCall): TrafficRecord[] => {
      removeOld();
      return log.part(partOf(query)).map((entry) => ({ ...entry, at: toIso(entry.at) }));
    },
    forgetTraffic: () => log.clear(),
  };
}
