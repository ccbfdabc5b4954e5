/** Makes the Express app of a control interface: guard, validation, endpoints, errors. */
import express, { type Express, type Router } from "express";
import type { Logger } from "pino";
import {
  type ControlCall,
  type Endpoint,
  endpointRouter,
} from "../../emulator/tax-authority/endpoint/endpoint-router.js";
import { ControlError, controlErrors } from "../../emulator/tax-authority/endpoint/errors.js";
import type { World } from "../../emulator/world/world.js";
import { type GuardOptions, guard } from "../../src/http/guard.js";
import { Rehearsal } from "../rehearse/rehearsal.js";
import { CONTROL_PREFIX } from "../scenario/remote.js";
import { CONTROL_ENDPOINTS, type ControlEndpointName } from "./endpoints.js";
import { type ControlHandlers, controlHandlers } from "./handlers.js";
import { MemoryRecording } from "./memory-recording.js";
import { BEGINNINGS, recordControlCall } from "./recorded-control.js";

const METHODS = [...new Set(CONTROL_ENDPOINTS.map(({ method }) => method))];

/** A function that gets every call after the control interface has served the call. */
export type ControlListener = (name: ControlEndpointName, call: ControlCall) => void;

/** What a control interface controls. */
export interface Controlled {
  readonly handlers: ControlHandlers;
  readonly served: ControlListener;
  /** Port of the same host whose pages may call the control interface, too. */
  readonly pagePort?: () => number;
}

/** Makes a world controllable. Every call goes into the recording of the world. */
export function controlledWorld(
  world: World,
  served: ControlListener = () => undefined,
  rehearsal = new Rehearsal(),
): Controlled {
  const recording = new MemoryRecording(world);
  rehearsal.follow(world.traffic, () => world.country);
  return {
    handlers: controlHandlers(world, { recording, rehearsal }),
    served: (name, call) => {
      recordControlCall(recording, world, name, call);
      if (BEGINNINGS.includes(name)) rehearsal.begin();
      served(name, call);
      if (CONTROL_ENDPOINTS.find((endpoint) => endpoint.name === name)?.method !== "GET") world.service.changed();
    },
    // The console calls this interface. It is a page of the service, on another port of the same host.
    pagePort: () => Number(new URL(world.url).port),
  };
}

export function createControlApp(controlled: Controlled, options: GuardOptions, log: Logger): Express {
  const { handlers, served, pagePort } = controlled;
  const router = endpointRouter<Endpoint & { readonly name: ControlEndpointName }>(
    CONTROL_ENDPOINTS,
    ({ name }) => handlers[name],
    ({ name }, call) => served(name, call),
  );
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
    throw new ControlError(404, `There is nothing at ${request.path}`, details);
  });
  app.use(controlErrors(log));
  return app;
}
