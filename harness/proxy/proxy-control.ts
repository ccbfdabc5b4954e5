/** The control interface of the proxy. With it, a test sets faults and reads the traffic. */

import type { ControlHandler, Endpoint } from "../../emulator/tax-authority/endpoint/endpoint-router.js";
import { ControlError } from "../../emulator/tax-authority/endpoint/errors.js";
import { partOf, type TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { JsonSchema } from "../../src/schema/validator.js";
import { PROXY_FAULT_SCHEMA, type ProxyFault, type ProxyFaults } from "./proxy-fault.js";

const ID = { type: "object", properties: { id: { type: "string", pattern: "^\\d{1,9}$" } } };
const LIST = { type: "array" };
const ANY = { type: "object" };

export const PROXY_ENDPOINTS = [
  { name: "faults", method: "GET", path: "/faults", purpose: "the faults that are set, and how often each has struck" },
  { name: "addFault", method: "POST", path: "/faults", purpose: "set another fault" },
  { name: "clearFaults", method: "DELETE", path: "/faults", purpose: "remove all faults" },
  { name: "removeFault", method: "DELETE", path: "/faults/:id", purpose: "remove one fault" },
  {
    name: "traffic",
    method: "GET",
    path: "/traffic",
    purpose: "requests and answers with PINs masked; `?since=ID`, `?last=N`, `?text=WORDS`, `?failed=true`",
  },
  { name: "clearTraffic", method: "DELETE", path: "/traffic", purpose: "delete the traffic" },
] as const satisfies readonly Pick<Endpoint, "name" | "method" | "path" | "purpose">[];

type Name = (typeof PROXY_ENDPOINTS)[number]["name"];

const SCHEMAS: { readonly [N in Name]?: Pick<Endpoint, "body" | "answer" | "status" | "params"> } = {
  faults: { answer: LIST },
  addFault: { body: PROXY_FAULT_SCHEMA as unknown as JsonSchema, answer: ANY, status: 201 },
  removeFault: { params: ID },
  traffic: { answer: LIST },
};

export const DESCRIBED_ENDPOINTS: readonly (Endpoint & { readonly name: Name })[] = PROXY_ENDPOINTS.map((endpoint) => ({
  ...endpoint,
  ...SCHEMAS[endpoint.name],
}));

export function proxyControlHandlers(faults: ProxyFaults, traffic: TrafficLog): Readonly<Record<Name, ControlHandler>> {
  return {
    faults: () => faults.list,
    addFault: ({ body }) => faults.add(body as ProxyFault),
    clearFaults: () => faults.clear(),
    removeFault: ({ params }) => {
      if (!faults.remove(Number(params.id))) throw new ControlError(404, `There is no fault ${params.id}`);
    },
    traffic: ({ query }) => traffic.part(partOf(query)),
    clearTraffic: () => traffic.clear(),
  };
}
