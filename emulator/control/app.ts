/** The control interface over HTTP: guard, validation, endpoints, errors. */
import express, { type Express, type Request, type RequestHandler, Router } from "express";
import type { Logger } from "pino";
import { bodyText, depthOf, rawBody } from "../../src/http/body.js";
import { HttpError } from "../../src/http/errors.js";
import { type GuardOptions, guard } from "../../src/http/guard.js";
import { compileSchema, explainErrors, type JsonSchema } from "../../src/schema/validator.js";
import { EMULATOR_LIMITS, LimitError } from "../limits.js";
import { MemoryRecording } from "../record/memory-recording.js";
import { recordControlCall } from "../record/recorded-control.js";
import type { World } from "../world/world.js";
import type { ControlCall, ControlHandler } from "./call.js";
import {
  CONTROL_ENDPOINTS,
  CONTROL_PREFIX,
  type ControlEndpoint,
  type ControlEndpointName,
  statusOf,
} from "./endpoints.js";
import { ControlError, controlErrors } from "./errors.js";
import { type ControlHandlers, controlHandlers } from "./handlers.js";

const METHODS = [...new Set(CONTROL_ENDPOINTS.map(({ method }) => method))];

/** Told about every call that was served. */
export type ControlListener = (name: ControlEndpointName, call: ControlCall) => void;

/** What is driven. */
export interface Controlled {
  readonly handlers: ControlHandlers;
  readonly served: ControlListener;
  /** Port on the same host whose pages may call too. */
  readonly pagePort?: () => number;
}

/** A world with its service; every call goes into its recording. */
export function controlledWorld(world: World, served: ControlListener = () => undefined): Controlled {
  const recording = new MemoryRecording(world);
  return {
    handlers: controlHandlers(world, recording),
    served: (name, call) => {
      recordControlCall(recording, world, name, call);
      served(name, call);
      if (CONTROL_ENDPOINTS.find((endpoint) => endpoint.name === name)?.method !== "GET") world.changed();
    },
    // The console is a page of the service, on another port of the same host.
    pagePort: () => Number(new URL(world.url).port),
  };
}

export function createControlApp(controlled: Controlled, options: GuardOptions, log: Logger): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  const { pagePort } = controlled;
  app.use(guard({ ...options, methods: METHODS, ...(pagePort ? { pagePort } : {}) }));
  app.use(CONTROL_PREFIX, controlRouter(controlled));
  app.use((request) => {
    throw new ControlError(404, `There is nothing at ${request.path}`, [
      `${CONTROL_PREFIX}/openapi.json describes what there is`,
    ]);
  });
  app.use(controlErrors(log));
  return app;
}

function controlRouter({ handlers, served }: Controlled): Router {
  const router = Router();
  const endpoints = CONTROL_ENDPOINTS.filter(({ name }) => name in handlers);
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    const here = endpoints.filter((endpoint) => endpoint.path === path);
    const route = router.route(path);
    for (const endpoint of here) {
      const method = endpoint.method.toLowerCase() as Lowercase<typeof endpoint.method>;
      route[method](
        rawBody,
        serve(endpoint, async (call) => {
          const answer = await handlers[endpoint.name]?.(call);
          served(endpoint.name, call);
          return answer;
        }),
      );
    }
    route.all(notAllowed(here.map(({ method }) => method)));
  }
  return router;
}

function serve(endpoint: ControlEndpoint, handler: ControlHandler): RequestHandler {
  const readParams = reader(endpoint.params, "path");
  const readQuery = reader(endpoint.query, "query");
  const readBody = reader(endpoint.body, "body");
  return async (request, response) => {
    const answer = await handler({
      params: readParams({ ...request.params }) as Record<string, string>,
      query: readQuery({ ...request.query }) as Record<string, string>,
      body: readBody(endpoint.body && bodyOf(request, endpoint)),
    });
    if (endpoint.answer) response.status(statusOf(endpoint)).json(answer);
    else response.status(statusOf(endpoint)).end();
  };
}

/** Lets through what the schema allows; everything where there is none. */
function reader(schema: JsonSchema | undefined, what: string): (value: unknown) => unknown {
  if (!schema) return (value) => value;
  const validate = compileSchema(schema);
  return (value) => {
    if (validate(value)) return value;
    const errors = validate.errors?.slice(0, EMULATOR_LIMITS.details.value);
    throw new ControlError(400, `The ${what} is wrong`, explainErrors(errors, `the ${what}`));
  };
}

/** Whatever the content type says: the guard has kept web pages out. */
function bodyOf(request: Request, { bodyOptional = false }: ControlEndpoint): unknown {
  const text = bodyText(request);
  if (text.trim() === "" && bodyOptional) return {};
  if (depthOf(text) > EMULATOR_LIMITS.depth.value) throw new LimitError(EMULATOR_LIMITS.depth);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ControlError(400, "The body is not JSON", [error instanceof Error ? error.message : String(error)]);
  }
}

function notAllowed(allowed: readonly string[]): RequestHandler {
  return (request, response) => {
    response.setHeader("Allow", allowed.join(", "));
    throw new HttpError(405, "method", `${request.method} is not allowed here, ${allowed.join(" or ")} is`);
  };
}
