/**
 * Who may call (design, "never", 4). A web page that the shop's browser happens to visit must not reach the service:
 * a cross-site text/plain POST needs no preflight and would burn PIN tries.
 */
import { isIP } from "node:net";
import type { RequestHandler } from "express";
import { HttpError } from "./errors.js";

export interface GuardOptions {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** What pages of allowed origins may send; GET and POST where absent. */
  readonly methods?: readonly string[];
}

export function guard({ allowedHosts, allowedOrigins, methods = ["GET", "POST"] }: GuardOptions): RequestHandler {
  const hosts = new Set(["localhost", ...allowedHosts.map((host) => host.toLowerCase())]);
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
  return (request, response, next) => {
    const { host, origin } = request.headers;
    if (host !== undefined && !hosts.has("*") && !isAllowedHost(host, hosts)) {
      throw new HttpError(403, "Host", "This host name is not allowed; allowedHosts can name it");
    }
    const allowedOrigin = origin !== undefined && origins.has(origin.toLowerCase());
    const sameOrigin = origin !== undefined && host !== undefined && sameHost(origin, host);
    if (origin !== undefined && !allowedOrigin && !sameOrigin) {
      throw new HttpError(403, "Origin", "Web pages of this origin may not call; allowedOrigins can name it");
    }
    const site = request.headers["sec-fetch-site"];
    if ((site === "cross-site" || site === "same-site") && !allowedOrigin) {
      throw new HttpError(403, "Sec-Fetch-Site", "Web pages of another site may not call");
    }
    if (allowedOrigin) {
      response.setHeader("Access-Control-Allow-Origin", origin);
      response.setHeader("Vary", "Origin");
      response.setHeader("Access-Control-Expose-Headers", "Idempotent-Replayed");
      if (request.method === "OPTIONS") {
        response.setHeader("Access-Control-Allow-Methods", methods.join(", "));
        response.setHeader("Access-Control-Allow-Headers", "Accept, Accept-Language, Content-Type, RequestId");
        response.setHeader("Access-Control-Allow-Private-Network", "true");
        response.status(204).end();
        return;
      }
    }
    next();
  };
}

/** DNS rebinding needs a name: an address cannot be rebound. */
function isAllowedHost(host: string, hosts: ReadonlySet<string>): boolean {
  const name = hostName(host);
  return isIP(name) !== 0 || hosts.has(name);
}

function hostName(host: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]*))(?::\d+)?$/.exec(host.trim().toLowerCase());
  return match?.[1] ?? match?.[2] ?? "";
}

function sameHost(origin: string, host: string): boolean {
  return origin.toLowerCase() === `http://${host.toLowerCase()}`;
}
