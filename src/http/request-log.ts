/** Writes the log line of a request (docs/health.md, "The log"), without bodies and PINs. */
import type { Request } from "express";
import type { Logger } from "pino";
import { tenths } from "../base/duration.js";
import { printable } from "../base/printable.js";
import { API_PREFIX, ENDPOINTS, isConsolePath } from "./endpoints.js";
import type { RequestFacts } from "./request-facts.js";
import { OPERATION_PATHS } from "./router.js";
import type { ServerRefusal } from "./server.js";
import { maskedPath, maskedRequestId } from "./traffic/mask.js";

/** Maximum number of characters of a path or a RequestId that are logged. */
const LONGEST = 200;
/** Paths of the endpoints. They contain no PIN, so they need no masking. */
const KNOWN_PATHS: ReadonlySet<string> = new Set(ENDPOINTS.map(({ path }) => API_PREFIX + path));

/** Writes a log line. @param pathSegment the path segment that the settings allow in front of the interface */
export function logRequest(log: Logger, facts: RequestFacts, pathSegment: string | undefined): void {
  const { request, response } = facts;
  const { originalUrl: url, method } = request;
  const line = {
    method,
    path: loggedPath(url, pathSegment),
    // The status is 0 if the caller disconnected before the answer.
    status: response.writableFinished ? response.statusCode : 0,
    requestId: requestIdOf(request),
    code: facts.code,
    number: facts.receipt && /"invoiceNumber":"([^"\\]*)"/.exec(facts.receipt)?.[1],
    replayed: facts.replayed || undefined,
    cardMs: tenths(facts.cardMs),
    ms: tenths(facts.ms),
  };
  // A console and a monitor send so many requests that their lines would hide those of the POS.
  const isOurs = isConsolePath(url) || OPERATION_PATHS.has(url.split("?", 1)[0] ?? "");
  if (isOurs) log.debug(line, "request");
  else log.info(line, "request");
}

/** Logs a request that was refused before any handler. @param url undefined if the request was not HTTP */
export function logRefusal(log: Logger, { status, code }: ServerRefusal, method?: string, url?: string): void {
  log.info({ method, path: url === undefined ? undefined : loggedPath(url, undefined), status, code }, "request");
}

function loggedPath(url: string, pathSegment: string | undefined): string {
  return KNOWN_PATHS.has(url) ? url : printable(maskedPath(url, pathSegment)).slice(0, LONGEST);
}

function requestIdOf({ headers, originalUrl }: Request): string | undefined {
  const requestId = headers.requestid?.toString();
  return requestId && printable(maskedRequestId(originalUrl, requestId)).slice(0, LONGEST);
}
