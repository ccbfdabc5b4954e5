/** Builds the REST interface of the guard, the reader of bodies, the endpoints and the error handler. */
import express, { type RequestHandler } from "express";
import type { Logger } from "pino";
import { nearest } from "../base/did-you-mean.js";
import type { Settings } from "../config/settings.js";
import type { Sentence } from "../fiscalizer/fiscal-error.js";
import { rawBody } from "./body.js";
import { methodRouter, notAllowed } from "./endpoint-router.js";
import { API_PREFIX, ENDPOINTS, type EndpointName } from "./endpoints.js";
import { errorHandler, HttpError } from "./errors.js";
import { guard } from "./guard.js";
import { type HotApp, type HotPaths, withHotPaths } from "./hot-paths.js";
import { type DescribedSettings, openApiDocument } from "./openapi.js";

export type AppHandlers = Readonly<Record<EndpointName, RequestHandler>>;

type AppSettings = Pick<Settings, "allowedHosts" | "allowedOrigins" | "host" | "card" | "pathSegment"> &
  DescribedSettings;

interface RouterParts {
  readonly console: RequestHandler;
  readonly health: RequestHandler;
  /** Called after each answer that may change what open consoles show. */
  readonly changed: () => void;
  /** Serves pages. It runs before the guard and before all endpoints. */
  readonly extraPages?: RequestHandler | undefined;
  /** Records when each request begins and ends, for log and metrics. It runs before all other handlers. */
  readonly observeRequest?: RequestHandler | undefined;
  /** Record requests and answers for the traffic log. They run before the guard. */
  readonly trafficRecorders?: readonly RequestHandler[];
}

export function createApp(
  handlers: AppHandlers,
  settings: AppSettings,
  log: Logger,
  { console, health, changed, extraPages, observeRequest, trafficRecorders = [] }: RouterParts,
): HotApp {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  if (observeRequest) app.use(observeRequest);
  if (extraPages) app.use(extraPages);
  const isApi = isApiPath(settings);
  const first = [
    ...trafficRecorders,
    guard({ ...settings, localPages: settings.card === "emulator" ? isApi : undefined }),
  ];
  app.use(...first);
  app.use(health);
  app.use(console);
  const api = methodRouter(ENDPOINTS.map((endpoint) => [endpoint, ...stepsOf(endpoint, handlers)]));
  app.use(API_PREFIX, api);
  if (settings.pathSegment !== undefined) app.use(`/${settings.pathSegment}${API_PREFIX}`, api);
  const description = app.route("/openapi.json");
  description.get((_request, response) => void response.json(openApiDocument(settings)));
  description.all(notAllowed(["GET"]));
  app.use(({ path }) => {
    // Do not repeat the path in the error, because a POS may have put its PIN there.
    throw new HttpError(404, "path", "There is nothing at this path; the interface is under {prefix}{near}", {
      prefix: API_PREFIX,
      near: nearestPath(path),
    });
  });
  const failed = errorHandler(log, ({ originalUrl }) => (isApi(originalUrl) ? settings.answerForm : "specification"));
  app.use(failed);
  return withHotPaths(
    app,
    hotPaths(handlers, [...(observeRequest ? [observeRequest] : []), ...first, afterAnswer(changed)]),
    failed,
  );
}

/** Suggests the endpoint that a path with a typing error, of another version or without its prefix may mean. */
function nearestPath(path: string): string | Sentence {
  const ending = path
    .toLowerCase()
    .replaceAll(/\/+/g, "/")
    .replace(/^\/(?:(?:.*\/)?api(?:\/|$))?(?:v\d+(?:\/|$))?/, "");
  if (ending === "") return "";
  const paths = new Set(ENDPOINTS.map((endpoint) => API_PREFIX + endpoint.path));
  const near = nearest(`${API_PREFIX}/${ending}`, [...paths]).join(", ");
  return near === "" ? "" : { message: "; did you mean {paths}?", values: { paths: near } };
}

export function afterAnswer(changed: () => void): RequestHandler {
  return (_request, response, next) => {
    response.once("close", changed);
    next();
  };
}

function stepsOf({ name, method }: (typeof ENDPOINTS)[number], handlers: AppHandlers): RequestHandler[] {
  return method === "POST" ? [rawBody, handlers[name]] : [handlers[name]];
}

/** The handlers of each hot path. A path with a segment in front, as on hosted test services, is not a hot path. */
function hotPaths(handlers: AppHandlers, first: readonly RequestHandler[]): HotPaths {
  const hot = ENDPOINTS.filter(({ path }) => !path.includes(":"));
  return new Map(
    hot.map((endpoint) => {
      const steps = [...first, ...stepsOf(endpoint, handlers)];
      return [`${endpoint.method} ${API_PREFIX}${endpoint.path}`, steps] as const;
    }),
  );
}

/** Whether a path belongs to the interface. Other programs' pages must not see the console's receipts and settings. */
function isApiPath({ pathSegment }: AppSettings): (path: string) => boolean {
  const prefixes = [API_PREFIX, ...(pathSegment === undefined ? [] : [`/${pathSegment}${API_PREFIX}`])];
  // Express ignores the case of paths.
  return (path) => prefixes.some((prefix) => path.toLowerCase().startsWith(`${prefix.toLowerCase()}/`));
}
