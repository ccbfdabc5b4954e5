/** Makes HTTP servers. They apply limits, headers and error records also to requests that reach no handler. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { systemTimer } from "../base/clock.js";
import { codeOf } from "../base/thrown.js";
import type { ErrorCode } from "../fiscal/codes.js";
import type { Connections } from "./connections.js";
import { INTERNAL_ERROR } from "./errors.js";
import type { Messages } from "./hot-paths.js";
import { LIMITS } from "./limits.js";
import { Turns } from "./turns.js";

export interface ServerRefusal {
  readonly status: 400 | 500 | 503;
  readonly code: ErrorCode;
  readonly sentence: string;
}

/** Makes a server with TLS, for the emulated online service; a shop's package has no code for one. */
export type EncryptedServer = (options: ServerOptions, listener: RequestListener) => Server;

export interface ServerParts {
  readonly app: RequestListener;
  /** The classes of requests and responses that `app` expects; default: Node's. */
  readonly messages?: Messages;
  /** Makes the server with TLS. If absent, the server uses plain HTTP. */
  readonly encrypted?: EncryptedServer | undefined;
  readonly record: (refusal: ServerRefusal) => object;
  readonly connections: Connections;
  /** Called for each request that was refused before it reached `app`; without `request` if it was not HTTP. */
  readonly refused?: (refusal: ServerRefusal, request?: IncomingMessage) => void;
  /** Gets errors that escaped from `app`. */
  readonly log: Logger;
}

/** ms for an idle connection: clients use it for the next sale (docs/interface.md, "Client recommendations"). */
const KEEP_ALIVE_MS = 65_000;
/** ms between checks for requests that arrive too slowly. */
const SLOW_REQUEST_CHECK_INTERVAL_MS = 5_000;

/** Browsers must not guess a content type, and pages elsewhere must not embed the answer or control its window. */
export const SAFE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // This policy is for answers that are not pages: they load nothing and cannot be framed. Pages set their own policy.
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

const SAFE = Object.entries(SAFE_HEADERS);

const NOT_HTTP: ServerRefusal = { status: 400, code: "2806", sentence: "This is not an HTTP request that can be read" };
/** ms after a whole request in which the end of the client's side says only that it sends no more. */
export const HALF_CLOSE_MS = 250;
const NO_ADDRESS: ServerRefusal = { status: 400, code: "2806", sentence: "The address of the request cannot be read" };
const FAILED: ServerRefusal = { status: 500, code: "1999", sentence: INTERNAL_ERROR };

/** Refusals for errors of Node's own parser, by the code of the error. */
const PARSER_REFUSALS: Readonly<Record<string, ServerRefusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: LIMITS.requestMs,
  HPE_HEADER_OVERFLOW: LIMITS.headerBytes,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 400,
    code: "2801",
    sentence: "The chunk extensions of the body are too long",
  },
};

export function makeServer(parts: ServerParts): Server {
  const { app, messages, encrypted, record, connections, refused, log } = parts;
  const options = {
    ...messages,
    // The guard lets a request without Host through, so that any refusal is an error record.
    requireHostHeader: false,
    requestTimeout: LIMITS.requestMs.value,
    headersTimeout: LIMITS.requestMs.value,
    connectionsCheckingInterval: SLOW_REQUEST_CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: LIMITS.headerBytes.value,
  };
  const send = (response: ServerResponse, refusal: ServerRefusal) => {
    const body = JSON.stringify(record(refusal));
    response.writeHead(refusal.status, refusalHeaders(refusal, body)).end(body);
  };
  const failed = (error: unknown, _request: IncomingMessage, response: ServerResponse) => {
    log.error({ err: error }, "request failed");
    if (!response.headersSent) send(response, FAILED);
    else if (!response.writableEnded) response.destroy();
  };
  const turns = new Turns((request, response) => {
    connections.begin(response);
    endWithClient(request, response);
    for (const [name, value] of SAFE) response.setHeader(name, value);
    const refuse = (refusal: ServerRefusal) => {
      refused?.(refusal, request);
      send(response, refusal);
    };
    if (!connections.admits(request.socket)) refuse(LIMITS.connections);
    // Express would answer an address that cannot be parsed with an HTML page.
    else if (!URL.canParse(request.url ?? "", "http://localhost")) refuse(NO_ADDRESS);
    else app(request, response);
  }, failed);
  const server = (encrypted ?? createServer)(options, turns.take);
  // See endWithClient. Node's types do not have this property.
  Object.assign(server, { httpAllowHalfOpen: true });
  const malformed = (error: unknown, socket: Duplex) => {
    const refusal = PARSER_REFUSALS[codeOf(error) ?? ""] ?? NOT_HTTP;
    refused?.(refusal);
    if (socket.writable) socket.end(rawAnswer(refusal, JSON.stringify(record(refusal))));
    else socket.destroy();
  };
  server.on("clientError", malformed);
  server.on("connect", (_request, socket) => {
    // Node stops listening for errors on a socket that it hands over; an unhandled error would end the process.
    socket.on("error", () => socket.destroy());
    malformed(undefined, socket);
  });
  // Handle requests with an unknown Expect header like other requests.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  connections.watch(server, encrypted ? "secureConnection" : "connection");
  return server;
}

/**
 * Closes the connection when the client gives up. A program that ends its side to say that the request is complete does so at once, and
 * reads the answer; one that no longer waits ends it later. TCP has the same signal for both.
 */
function endWithClient(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  let completeAt = systemTimer.now();
  request.once("end", () => {
    completeAt = systemTimer.now();
  });
  const ended = () => {
    if (systemTimer.now() - completeAt > HALF_CLOSE_MS) socket.destroy();
  };
  socket.once("end", ended);
  response.once("close", () => socket.off("end", ended));
}

function refusalHeaders({ status }: ServerRefusal, body: string): Record<string, string> {
  return {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
    ...(status === 503 ? { "Retry-After": "1" } : {}),
  };
}

/** The text of a whole answer, for requests without a response object. */
function rawAnswer(refusal: ServerRefusal, body: string): string {
  const headers = Object.entries({ ...SAFE_HEADERS, ...refusalHeaders(refusal, body) });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join("")}\r\n${body}`;
}
