/** Makes the Express app between a POS and the target: guard, traffic log, faults, and forwarding both ways. */
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import type { Logger } from "pino";
import { sendWithFaults } from "../../emulator/faults/faulty-answer.js";
import { passTime, type Times } from "../../emulator/faults/passing-time.js";
import { httpStatusOf } from "../../src/fiscal/codes.js";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { errorHandler, errorRecord } from "../../src/http/errors.js";
import { type GuardOptions, guard } from "../../src/http/guard.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { FaultySend } from "../../src/http/traffic/watch-answer.js";
import { collected, LARGEST_BODY_BYTES, TooLarge } from "../scenario/http-call.js";
import type { ProxyFault, ProxyFaults } from "./proxy-fault.js";
import { endToEnd, type Target, type TargetAnswer, TargetError } from "./target.js";
import type { TypedPins } from "./typed-pins.js";

/** Header that marks an answer which the proxy has made itself. */
export const PROXY_HEADER = "tillseal-proxy";

export interface ProxyParts {
  readonly target: Target;
  readonly faults: ProxyFaults;
  readonly times: Times;
  readonly traffic: TrafficLog;
  readonly pins: TypedPins;
  /** Whether the target is an authority's online service. */
  readonly online: boolean;
  readonly log: Logger;
}

export function createProxyApp(parts: ProxyParts, options: GuardOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(refuseOddPaths);
  app.use(parts.traffic.handler(faultySend(parts), () => undefined, parts.online));
  app.use(guard({ ...options, methods: ["GET", "POST", "PUT", "PATCH", "DELETE"] }));
  app.use(forward(parts));
  app.use(errorHandler(parts.log));
  return app;
}

/** Refuses paths that would reach another host, use another protocol, or leave the target's base path. */
const refuseOddPaths: RequestHandler = (request, _response, next) => {
  const [path = ""] = request.originalUrl.split(/[?#]/);
  const segments = path.split(/\/|%2f|\\|%5c/i);
  if (path.startsWith("/") && !segments.some((segment) => DOTS.test(segment))) next();
  else next(FiscalError.of("2806", "path", "The path must begin with / and have no . or .. in it"));
};

const DOTS = /^(\.|%2e){1,2}$/i;

function forward(parts: ProxyParts): RequestHandler {
  return async (request, response) => {
    const body = await bodyOf(request);
    if (!body) {
      ownAnswer(response, 413, FiscalError.of("2801", "body", `The body is larger than ${LARGEST_BODY_BYTES} bytes`));
      return;
    }
    // The traffic log reads the body from `request.body`.
    request.body = body;
    const { faults, times, target, pins } = parts;
    pins.see(request.originalUrl, body.toString("utf8"));
    const due = faults.due({ method: request.method, path: request.path, on: "request" });
    for (const fault of due) await passTime(fault, times);
    if (due.some(({ kind }) => kind === "connectionDropped")) {
      response.socket?.destroy();
      return;
    }
    if (answersWithCode(response, due)) return;
    try {
      give(response, await target.send(request.method, request.originalUrl, headersOf(request), body), parts, request);
    } catch (error) {
      if (!(error instanceof TargetError)) throw error;
      const message = `The proxy got no whole answer from ${target.origin}: ${error.message}`;
      ownAnswer(response, error.status, FiscalError.of("1999", "", message), "no answer");
    }
  };
}

/** @returns undefined if the body is too large @throws FiscalError if the connection breaks */
async function bodyOf(request: Request): Promise<Buffer | undefined> {
  try {
    return await collected(request, true);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw FiscalError.of("2806", "body", "The connection broke in the middle of the body");
  }
}

/** Not forwarded: our guard has checked the page that calls, and the target would compare it with its own host. */
const GUARDED = ["host", "content-length", "expect", "accept-encoding", "origin", "referer"];

function headersOf({ rawHeaders }: Request) {
  const fetched = rawHeaders.filter((name) => /^sec-fetch-/i.test(name)).map((name) => name.toLowerCase());
  return endToEnd(rawHeaders, [...GUARDED, ...fetched]);
}

function give(response: Response, answer: TargetAnswer, { faults }: ProxyParts, request: Request): void {
  const due = faults.due({ method: request.method, path: request.path, on: "answer" });
  waiting.set(request, due);
  if (answersWithCode(response, due)) return;
  // We keep the headers that a page of an allowed origin needs. We remove the others, because they describe our own
  // service.
  for (const name of response.getHeaderNames()) if (!/^(access-control-|vary$)/.test(name)) response.removeHeader(name);
  for (const [name, lines] of Object.entries(answer.headers)) response.setHeader(name, lines);
  response.removeHeader(PROXY_HEADER);
  response.status(answer.status).end(answer.body);
}

/** Answers with the code of a fault. @returns whether one of the faults has a code */
function answersWithCode(response: Response, due: readonly ProxyFault[]): boolean {
  const fault = due.find(({ kind }) => kind === "code");
  if (!fault) return false;
  const { code = "1999", status = httpStatusOf(code) } = fault;
  ownAnswer(response, status, FiscalError.of(code), "fault");
  return true;
}

function ownAnswer(response: Response, status: number, error: FiscalError, why = "refused"): void {
  response.setHeader(PROXY_HEADER, why);
  response.status(status).json(errorRecord(error));
}

const waiting = new WeakMap<object, readonly ProxyFault[]>();

function faultySend({ times }: ProxyParts): FaultySend {
  return (request) => {
    const due = (waiting.get(request) ?? []).filter(({ kind }) => kind !== "code");
    return due.length === 0 ? undefined : (answer, done) => sendWithFaults(answer, due, times, done);
  };
}
