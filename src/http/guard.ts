/**
 * Decides who may call the service (docs/architecture.md, "What must never happen"). A web page that the shop's browser
 * happens to visit must not reach the service: a cross-site text/plain POST needs no preflight and would use up PIN
 * attempts.
 */
import { isIP } from "node:net";
import type { Request, RequestHandler, Response } from "express";
import { HttpError } from "./errors.js";
import { urlTo } from "./listen.js";

export interface GuardOptions {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Name or address on which the service listens. It is allowed in the header `Host`. */
  readonly host?: string;
  /** Methods that pages of allowed origins may use. Default: GET and POST. */
  readonly methods?: readonly string[];
  /** Returns another port of the same host. Pages from that port may call the service, too. */
  readonly pagePort?: () => number;
  /** Decides whether pages of this machine's web servers may call a path. Default: they may call none. */
  readonly localPages?: ((path: string) => boolean) | undefined;
}

export function guard(options: GuardOptions): RequestHandler {
  const { allowedHosts, host: own = "localhost", methods = ["GET", "POST"] } = options;
  const hosts = new Set(["localhost", ...[own, ...allowedHosts].map((host) => host.toLowerCase())]);
  const isAllowedOrigin = originRule(options);
  return (request, response, next) => {
    const { host, origin } = request.headers;
    response.setHeader("Vary", "Origin");
    const purpose = PURPOSE_HEADERS.find((name) =>
      /prefetch|prerender|preview/i.test(String(request.headers[name] ?? "")),
    );
    if (purpose !== undefined) throw new HttpError(403, purpose, "Prefetches by browsers are refused");
    // Every IP address is allowed, because DNS rebinding works only with names.
    if (host !== undefined && !hosts.has("*") && isIP(hostName(host)) === 0 && !hosts.has(hostName(host))) {
      throw new HttpError(403, "Host", "This host name is not allowed; add it to the setting allowedHosts");
    }
    const allowedOrigin = origin !== undefined && isAllowedOrigin(origin, request);
    const sameOrigin = origin !== undefined && host !== undefined && sameHost(origin, host, request.protocol);
    if (origin !== undefined && !allowedOrigin && !sameOrigin) {
      throw new HttpError(403, "Origin", "Web pages of this origin may not call; add it to the setting allowedOrigins");
    }
    const site = request.headers["sec-fetch-site"];
    if (!OWN_SITES.has(site) && !allowedOrigin && !isFollowedLink(request)) {
      // A console whose service has moved to another port must be able to see this refusal: only by the refusal can the
      // console know that the service answers there. Chromium treats two ports of one IP address as two sites.
      if (site === "same-site") response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
      throw new HttpError(403, "Sec-Fetch-Site", "Web pages of another site may not call");
    }
    if (allowedOrigin) {
      allowReading(request, response, origin);
      if (request.method === "OPTIONS") {
        response.setHeader("Access-Control-Allow-Methods", methods.join(", "));
        response.setHeader("Access-Control-Allow-Headers", ALLOWED_HEADERS);
        response.status(204).end();
        return;
      }
    }
    next();
  };
}

function originRule({ allowedOrigins, pagePort, localPages }: GuardOptions) {
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
  return (origin: string, { headers: { host }, path }: Request): boolean =>
    origins.has(origin.toLowerCase()) ||
    (pagePort !== undefined && host !== undefined && origin === urlTo({ host: hostName(host), port: pagePort() })) ||
    (LOCAL_ORIGIN.test(origin) && (localPages?.(path) ?? false));
}

/** Values of `Sec-Fetch-Site` of requests that no other site has caused. Programs other than browsers send none. */
const OWN_SITES: ReadonlySet<unknown> = new Set([undefined, "none", "same-origin"]);

const ALLOWED_HEADERS = "Accept, Accept-Language, Content-Type, RequestId";

/** Matches origins on this machine with any port: developers run their POS on a web server of the same machine. */
const LOCAL_ORIGIN = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

function allowReading({ headers }: Request, response: Response, origin: string): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", "Idempotent-Replayed, RequestId, Retry-After, Warning");
  if (headers["access-control-request-private-network"] === "true") {
    response.setHeader("Access-Control-Allow-Private-Network", "true");
  }
}

/** Headers that mark a prefetch of a page that a person may never open. The last three are older names of the first. */
const PURPOSE_HEADERS = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/** Pages for people: the console, the emulated authority's verification page. */
const PAGES = /^\/(v\/?)?(\?|$)/;

/** Whether a person follows a link to a page for people: the linking page cannot read it, and the card is not asked. */
function isFollowedLink({ method, originalUrl, headers }: Request): boolean {
  const navigates = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return navigates && method === "GET" && PAGES.test(originalUrl);
}

const LAST_PORT = 65_535;

function hostName(host: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d{1,5}))?$/.exec(host.trim().toLowerCase());
  // Refuse invalid ports, because the header becomes part of the QR code's address.
  if (Number(match?.[3] ?? 0) > LAST_PORT) return "";
  return match?.[1] ?? match?.[2] ?? "";
}

/** Whether a page of this server itself sends the request. */
export function sameHost(origin: string, host: string, protocol: string): boolean {
  return origin.toLowerCase() === `${protocol}://${host.toLowerCase()}`;
}
