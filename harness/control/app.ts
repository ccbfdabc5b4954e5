/** Makes the Express app of a control interface: guard, validation, endpoints, errors. */
import express, { type Express, type Router } from "express";
import type { Logger } from "pino";
import type { World } from "../../emulator/world/world.js";
import { CallError, callErrors } from "../../src/http/call-errors.js";
import type { Endpoint } from "../../src/http/endpoint.js";
import { endpointRouter } from "../../src/http/endpoint-router.js";
import { type GuardOptions, guard } from "../../src/http/guard.js";
import { Rehearsal } from "../rehearse/rehearsal.js";
import { CONTROL_PREFIX } from "../scenario/remote.js";
import { Situations } from "../scenario/situations.js";
import { CONTROL_ENDPOINTS, type ControlEndpointName } from "./endpoints.js";
import { type ControlHandlers, controlHandlers } from "./handlers.js";

const METHODS = [...new Set(CONTROL_ENDPOINTS.map(({ method }) => method))];

export interface Controlled {
  readonly endpoints: readonly NamedEndpoint[];
  readonly handlers: ControlHandlers;
  /** Called after each call that may have changed something. */
  readonly changed?: () => void;
  /** Port of the same host whose pages may call the control interface, too. */
  readonly pagePort?: () => number;
}

type NamedEndpoint = Endpoint & { readonly name: ControlEndpointName };

/** What judges a POS, and what puts it into situations. Default: new ones. */
export interface Judging {
  readonly rehearsal?: Rehearsal;
  readonly situations?: Situations;
}

export function controlledWorld(
  world: World,
  { rehearsal = new Rehearsal(), situations = new Situations(world) }: Judging = {},
): Controlled {
  rehearsal.follow(world.traffic, () => world.country);
  world.events.on("begun", () => rehearsal.span());
  return {
    endpoints: CONTROL_ENDPOINTS,
    handlers: controlHandlers(world, rehearsal, situations),
    changed: () => world.service.changed(),
    // The console calls this interface. It is a page of the service, on another port of the same host.
    pagePort: () => Number(new URL(world.url).port),
  };
}

export function createControlApp(controlled: Controlled, options: GuardOptions, log: Logger): Express {
  const { endpoints, handlers, changed, pagePort } = controlled;
  const router = endpointRouter<NamedEndpoint>(endpoints, ({ name }) => handlers[name], {
    served: ({ method }) => {
      if (method !== "GET") changed?.();
    },
  });
  const details = [`${CONTROL_PREFIX}/openapi.json describes the interface`];
  return controlApp(router, { ...options, methods: METHODS, ...(pagePort ? { pagePort } : {}) }, { log, details });
}

/**
 * Makes the app of a control interface.
 * @param details of the answer for an unknown path
 */
export function controlApp(
  router: Router,
  options: GuardOptions,
  { log, details }: { log: Logger; details: readonly string[] },
): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(guard(options));
  app.use(CONTROL_PREFIX, router);
  app.use((request) => {
    throw new CallError(404, `There is nothing at ${request.path}`, details);
  });
  app.use(callErrors(log));
  return app;
}
