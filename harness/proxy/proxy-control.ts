/** The control interface of the proxy. With it, a test sets faults and reads the traffic. */

import { FAULT_ID } from "../../emulator/world/schemas.js";
import { CallError } from "../../src/http/call-errors.js";
import { endpoint } from "../../src/http/endpoint.js";
import type { CallHandler } from "../../src/http/endpoint-router.js";
import { partOf, type TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { PROXY_FAULT_SCHEMA, type ProxyFault, type ProxyFaults } from "./proxy-fault.js";

export const PROXY_ENDPOINTS = [
  endpoint("faults", "GET /faults", "the faults that are set, and how often each has struck"),
  endpoint("addFault", "POST /faults", "set another fault", { body: PROXY_FAULT_SCHEMA, status: 201 }),
  endpoint("clearFaults", "DELETE /faults", "remove all faults"),
  endpoint("removeFault", "DELETE /faults/:id", "remove one fault", { params: FAULT_ID }),
  endpoint(
    "traffic",
    "GET /traffic",
    "requests and answers with PINs masked; `?since=ID`, `?last=N`, `?text=WORDS`, `?failed=true`",
  ),
  endpoint("clearTraffic", "DELETE /traffic", "delete the traffic"),
];

type Name = (typeof PROXY_ENDPOINTS)[number]["name"];

export function proxyControlHandlers(faults: ProxyFaults, traffic: TrafficLog): Readonly<Record<Name, CallHandler>> {
  return {
    faults: () => faults.list,
    addFault: ({ body }) => faults.add(body as ProxyFault),
    clearFaults: () => faults.clear(),
    removeFault: ({ params: { id } }) => {
      if (!faults.remove(Number(id))) throw new CallError(404, `There is no fault ${id}`);
    },
    traffic: ({ query }) => traffic.part(partOf(query)),
    clearTraffic: () => traffic.clear(),
  };
}
