/** HTTP endpoints of an interface for developers. A schema checks each request, and a refusal gives the reason. */
import { type Request, type RequestHandler, Router } from "express";
import { messageOf } from "../base/thrown.js";
import { compileSchema, explainErrors, type JsonSchema, jsonSize } from "../schema/validator.js";
import { bodyText, rawBody } from "./body.js";
import { CallError, LimitError } from "./call-errors.js";
import { HttpError } from "./errors.js";
import { LIMITS, type Limit } from "./limits.js";

export interface Endpoint {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the interface's prefix; `:id` is a parameter. */
  readonly path: string;
  readonly purpose: string;
  readonly params?: JsonSchema;
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
  /** Whether the body may be left out. */
  readonly bodyOptional?: boolean;
  /** Schema of the answer. An endpoint without `answer` and `file` answers 204. */
  readonly answer?: JsonSchema;
  /** HTTP status of a success. Default: 200 if there is an answer, otherwise 204. */
  readonly status?: 201;
  /** Maximum size of the file that is the body. The handler gets the file as a Buffer. */
  readonly upload?: Limit;
  /** Media type of the file that is the answer. The handler returns the file as a Buffer. */
  readonly file?: string;
}

/** Describes an endpoint. @param call its method and path */
export function endpoint<const N extends string>(
  name: N,
  call: `${Endpoint["method"]} /${string}`,
  purpose: string,
  rest: Omit<Endpoint, "name" | "method" | "path" | "purpose"> = {},
): Endpoint & { readonly name: N } {
  const [method = "GET", path = ""] = call.split(" ") as [Endpoint["method"], string];
  return { name, method, path, purpose, ...rest };
}

/**
 * Makes the router of an interface.
 * @param handlerOf returns the handler of an endpoint; undefined if this interface does not have the endpoint
 * @param served called after each call that the handler did not refuse
 */
export function endpointRouter<E extends Endpoint>(
  all: readonly E[],
  handlerOf: (endpoint: E) => CallHandler | undefined,
  served: (endpoint: E) => void = () => undefined,
): Router {
  const router = Router();
  const endpoints = all.filter((endpoint) => handlerOf(endpoint) !== undefined);
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    const here = endpoints.filter((endpoint) => endpoint.path === path);
    const route = router.route(path);
    for (const endpoint of here) {
      const method = endpoint.method.toLowerCase() as Lowercase<typeof endpoint.method>;
      route[method](
        ...(endpoint.upload ? [] : [rawBody]),
        serve(endpoint, async (call) => {
          const answer = await handlerOf(endpoint)?.(call);
          served(endpoint);
          return answer;
        }),
      );
    }
    route.all(notAllowed(here.map(({ method }) => method)));
  }
  return router;
}

function serve(endpoint: Endpoint, handler: CallHandler): RequestHandler {
  const readParams = validating(endpoint.params, "path");
  const readQuery = validating(endpoint.query, "query");
  const readBody = validating(endpoint.body, "body");
  return async (request, response) => {
    const answer = await handler({
      params: readParams({ ...request.params }) as Record<string, string>,
      query: readQuery({ ...request.query }) as Record<string, string>,
      body: endpoint.upload
        ? await uploadedFile(request, endpoint.upload)
        : readBody(endpoint.body && bodyOf(request, endpoint)),
    });
    if (endpoint.file) response.status(200).type(endpoint.file).send(answer);
    else if (endpoint.answer) response.status(statusOf(endpoint)).json(answer);
    else response.status(statusOf(endpoint)).end();
  };
}

/** Makes a function that checks a value against the schema. Without a schema, the function accepts everything. */
function validating(schema: JsonSchema | undefined, subject: string): (value: unknown) => unknown {
  if (!schema) return (value) => value;
  const validate = compileSchema(schema);
  return (value) => {
    if (validate(value)) return value;
    throw new CallError(400, `The ${subject} is wrong`, explainErrors(validate.errors, `the ${subject}`, "names"));
  };
}

/** Reads the body of a request as JSON. Accepts any content type, because the guard refuses web pages. */
function bodyOf(request: Request, { bodyOptional = false }: Endpoint): unknown {
  const text = bodyText(request);
  if (text.trim() === "" && bodyOptional) return {};
  if (jsonSize(text).depth > LIMITS.depth.value) throw new LimitError(LIMITS.depth);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CallError(400, "The body is not JSON", [messageOf(error)]);
  }
}

function notAllowed(allowed: readonly string[]): RequestHandler {
  return (request, response) => {
    response.setHeader("Allow", allowed.join(", "));
    throw new HttpError(405, "method", `${request.method} is not allowed here, ${allowed.join(" or ")} is`);
  };
}

/** Returns the path of an endpoint as OpenAPI writes it, such as `/control/faults/{id}`. */
export function describedPath(prefix: string, { path }: Pick<Endpoint, "path">): string {
  return prefix + path.replaceAll(/:(\w+)/g, "{$1}");
}

export function statusOf({ status, answer, file }: Endpoint): number {
  return status ?? (answer || file ? 200 : 204);
}

export interface EndpointCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Handles a call. Returns the answer, if the endpoint has one. */
export type CallHandler = (call: EndpointCall) => unknown;

let underWay = 0;

/** @throws LimitError; CallError if another file is arriving or the connection breaks */
async function uploadedFile(request: Request, limit: Limit): Promise<Buffer> {
  if (underWay > 0) throw new CallError(400, "Another file is arriving; send this one again");
  underWay++;
  try {
    return await collect(request, limit);
  } finally {
    underWay--;
  }
}

/** Reads also a body that is too large, because clients send all of it before they read the answer. */
async function collect(request: Request, limit: Limit): Promise<Buffer> {
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
  }
  if (length > limit.value) throw new LimitError(limit);
  return Buffer.concat(chunks);
}
