/** Routes the calls of an interface. A schema checks each request, and a refusal gives the reason. */
import { type Request, type RequestHandler, type Response, Router } from "express";
import { messageOf } from "../base/thrown.js";
import { compileSchema, explainErrors, type JsonSchema, jsonSize } from "../schema/validator.js";
import { bodyText, rawBody } from "./body.js";
import { CallError, LimitError } from "./call-errors.js";
import type { Endpoint } from "./endpoint.js";
import { HttpError } from "./errors.js";
import { LIMITS, type Limit } from "./limits.js";

export interface EndpointCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly request: Request;
  readonly response: Response;
}

/** Handles a call. Returns the answer, or writes it to the response. */
export type CallHandler = (call: EndpointCall) => unknown;

interface RouterOptions<E extends Endpoint> {
  /** Refuses callers of endpoints that have `callers`, before their body is read. */
  readonly trusted?: RequestHandler;
  /** Rejects if the caller may not do what the call asks for. */
  readonly permit?: (endpoint: E, call: EndpointCall) => Promise<void>;
  /** Reads a body. Default: JSON of any content type, because the guard refuses web pages. */
  readonly read?: (request: Request) => unknown;
  /** Called after each call that the handler did not refuse. */
  readonly served?: (endpoint: E) => void;
}

/**
 * Makes the router of an interface.
 * @param handlerOf returns the handler of an endpoint; undefined if this interface does not have the endpoint
 */
export function endpointRouter<E extends Endpoint>(
  all: readonly E[],
  handlerOf: (endpoint: E) => CallHandler | undefined,
  options: RouterOptions<E> = {},
): Router {
  const rows = all.flatMap((endpoint) => {
    const handler = handlerOf(endpoint);
    if (!handler) return [];
    const before = endpoint.callers && options.trusted ? [options.trusted] : [];
    const reads = endpoint.upload || endpoint.method === "GET" ? [] : [rawBody];
    return [[endpoint, ...before, ...reads, serve(endpoint, handler, options)] as const];
  });
  return methodRouter(rows);
}

/** Routes each endpoint to its handlers. A path refuses the methods that none of its endpoints has. */
export function methodRouter(rows: readonly (readonly [Endpoint, ...RequestHandler[]])[]): Router {
  const router = Router();
  for (const path of new Set(rows.map(([endpoint]) => endpoint.path))) {
    const here = rows.filter(([endpoint]) => endpoint.path === path);
    const route = router.route(path);
    for (const [{ method }, ...handlers] of here) route[method.toLowerCase() as Lowercase<typeof method>](...handlers);
    route.all(notAllowed(here.map(([{ method }]) => method)));
  }
  return router;
}

function serve<E extends Endpoint>(
  endpoint: E,
  handler: CallHandler,
  { permit, read = anyJson, served }: RouterOptions<E>,
): RequestHandler {
  const readParams = validating(endpoint.params, "path");
  const readQuery = validating(endpoint.query, "query");
  const readBody = validating(endpoint.body, "body");
  const bodyOf = async (request: Request) => {
    if (endpoint.upload) return uploadedFile(request, endpoint.upload);
    if (!endpoint.body) return undefined;
    return readBody(endpoint.bodyOptional && bodyText(request).trim() === "" ? {} : read(request));
  };
  return async (request, response) => {
    const call: EndpointCall = {
      params: readParams({ ...request.params }) as Record<string, string>,
      query: readQuery({ ...request.query }) as Record<string, string>,
      body: await bodyOf(request),
      request,
      response,
    };
    await permit?.(endpoint, call);
    const answer = await handler(call);
    served?.(endpoint);
    if (response.headersSent) return;
    if (endpoint.file) response.status(200).type(endpoint.file).send(answer);
    else if (answer === undefined) response.status(endpoint.status ?? 204).end();
    else response.status(endpoint.status ?? 200).json(answer);
  };
}

/** Makes a function that checks a value against the schema. Without a schema, the function accepts everything. */
function validating(schema: JsonSchema | undefined, subject: string): (value: unknown) => unknown {
  if (!schema) return (value) => value;
  const validate = compileSchema(schema);
  return (value) => {
    if (validate(value)) return value;
    const details = explainErrors(validate.errors, `the ${subject}`, "names");
    throw new CallError(400, `The ${subject} is wrong`, details, { code: "2806" });
  };
}

export function notAllowed(allowed: readonly string[]): RequestHandler {
  const methods = allowed.join(", ");
  return ({ method }, response) => {
    response.setHeader("Allow", methods);
    const values = { method, allowed: methods };
    throw new HttpError(405, "method", "{method} is not allowed here; use {allowed}", values);
  };
}

function anyJson(request: Request): unknown {
  const text = bodyText(request);
  if (jsonSize(text).depth > LIMITS.depth.value) throw new LimitError(LIMITS.depth);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The parser quotes the body after a comma, which may contain a PIN.
    throw new CallError(400, "The body is not JSON", [messageOf(error).replace(/, (\.\.\.)?".*$/s, "")]);
  }
}

let isArriving = false;

/**
 * Reads also a file that is too large, because clients send all of it before they read the answer.
 * @throws LimitError; CallError if another file is arriving or the connection breaks
 */
async function uploadedFile(request: Request, limit: Limit): Promise<Buffer> {
  if (isArriving) throw new CallError(400, "Another file is arriving; send this one again");
  isArriving = true;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit.value) chunks.length = 0;
      else chunks.push(chunk);
    }
  } catch {
    throw new CallError(400, "The connection broke off in the middle of the file");
  } finally {
    isArriving = false;
  }
  if (length > limit.value) throw new LimitError(limit);
  return Buffer.concat(chunks);
}
