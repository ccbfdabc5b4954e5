/** Defines what can go wrong between a POS and the service behind the proxy. */

import type { Fault, FaultRule } from "../../emulator/faults/fault.js";
import { FaultList, type Timed } from "../../emulator/faults/fault-list.js";
import { oneOfKinds, ruleOf } from "../../emulator/faults/fault-schema.js";
import { POSITIVE_DURATION_SCHEMA } from "../../src/base/duration.js";
import { describeCode, type ErrorCode, FISCAL_CODES } from "../../src/fiscal/codes.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { textLike } from "../../src/schema/json-schema.js";

/** When a fault happens. `request` is before the target gets the request, `answer` is after the target has answered. */
const PROXY_PLACES = ["request", "answer"] as const;
type ProxyPlace = (typeof PROXY_PLACES)[number];

const FIELDS = ["duration", "upTo", "code", "status"] as const;
type ProxyFaultField = (typeof FIELDS)[number];

export type ProxyFaultRule = FaultRule<ProxyPlace, ProxyFaultField>;

export const PROXY_FAULT_KINDS = {
  latency: {
    meaning: "it takes `duration` longer, or a time between `duration` and `upTo`",
    strikes: PROXY_PLACES,
    fields: ["duration", "upTo"],
    required: ["duration"],
  },
  connectionDropped: {
    meaning:
      "the connection to the POS breaks: on `request` before the target gets anything, on `answer` after the target has executed it",
    strikes: PROXY_PLACES,
  },
  code: {
    meaning:
      "the POS gets an error with this `code`, and with `status` if you name one. On `request` the target gets nothing; on `answer` it has executed the request",
    strikes: PROXY_PLACES,
    fields: ["code", "status"],
    required: ["code"],
  },
  short: { meaning: "the connection breaks in the middle of the answer's body", strikes: ["answer"] },
  trickle: {
    meaning: "the answer's bytes arrive a few at a time, all within `duration`",
    strikes: ["answer"],
    fields: ["duration"],
    required: ["duration"],
  },
} as const satisfies Record<string, ProxyFaultRule>;

export interface ProxyFault extends Timed {
  readonly on: ProxyPlace;
  readonly kind: keyof typeof PROXY_FAULT_KINDS;
  /** Path of the requests that the fault affects; `*` means every path. Default: the path of sales. */
  readonly path?: string;
  readonly duration?: string;
  readonly upTo?: string;
  readonly code?: ErrorCode;
  readonly status?: number;
}

const SALES = `${API_PREFIX}/invoices`;
const KINDS = Object.entries(PROXY_FAULT_KINDS) as [string, ProxyFaultRule][];

export const PROXY_FAULT_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["on", "kind"],
  properties: {
    on: { enum: PROXY_PLACES, description: "before the target gets the request, or after it has answered" },
    kind: oneOfKinds(PROXY_FAULT_KINDS),
    path: {
      ...textLike("^(/|\\*$)", "a path with / first, or *"),
      description: `requests with this path, without a query; * is every path. Default: POST ${SALES}`,
    },
    nth: { type: "integer", minimum: 1, description: "only the n-th time; default: every time" },
    probability: { type: "number", minimum: 0, maximum: 1, description: "default: always" },
    duration: { ...POSITIVE_DURATION_SCHEMA, description: "of a latency or a trickling answer: 3s, 500ms" },
    upTo: { ...POSITIVE_DURATION_SCHEMA, description: "upper end of a range of latency" },
    code: {
      enum: FISCAL_CODES.filter((code) => describeCode(code).httpStatus !== null),
      description: "a code of the interface",
    },
    status: { type: "integer", minimum: 200, maximum: 599, description: "HTTP status; default: that of the code" },
  },
  dependentRequired: { upTo: ["duration"] },
  allOf: KINDS.map(([kind, rule]) => ruleOf(kind, rule, FIELDS, { on: { enum: rule.strikes } })),
} as const;

/** Does at the proxy what a fault does in the emulator; undefined if only a person at the service can do it. */
export function proxyFaultOf({ on, kind, nth, where, duration, upTo }: Fault): ProxyFault | undefined {
  if (where) return undefined;
  const when = { ...(nth === undefined ? {} : { nth }) };
  if (on === "storeIntent") return { on: "request", kind: "code", code: "1999", ...when };
  if (on === "sign" && kind === "statusWord") return { on: "request", kind: "code", code: "2220", ...when };
  if (on !== "answer" || !Object.hasOwn(PROXY_FAULT_KINDS, kind)) return undefined;
  const times = { ...(duration === undefined ? {} : { duration }), ...(upTo === undefined ? {} : { upTo }) };
  return { on, kind: kind as ProxyFault["kind"], ...when, ...times };
}

export interface Passing {
  readonly on: ProxyPlace;
  readonly method: string;
  readonly path: string;
}

export class ProxyFaults extends FaultList<ProxyFault, Passing> {
  protected override isAbout({ on, path }: ProxyFault, passing: Passing): boolean {
    if (on !== passing.on) return false;
    if (path === undefined) return isSalePath(passing);
    return path === "*" || path.toLowerCase() === passing.path.toLowerCase();
  }
}

/** Whether a request posts a sale. @param path without a query; a hosted service may have a segment in front of it */
export function isSalePath({ method, path }: Pick<Passing, "method" | "path">): boolean {
  return method === "POST" && path.toLowerCase().replace(/\/$/, "").endsWith(SALES);
}
