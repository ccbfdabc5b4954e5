/** Serves the console's own files, which Vite builds, with a policy that says what a page may load. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import express, { type RequestHandler } from "express";
import { PACKAGE_ROOT } from "../base/package-root.js";
import { HttpError } from "../http/errors.js";
import { PAGE_POLICY } from "../http/html.js";

const FILES = join(PACKAGE_ROOT, "dist", "console");
const INDEX = join(FILES, "index.html");

export function consolePage(): RequestHandler {
  const page = existsSync(INDEX) ? readFileSync(INDEX) : undefined;
  return (request, response) => {
    if (!page) throw new HttpError(404, "path", "The console is not built; run npm run build");
    response.setHeader("Content-Security-Policy", policy(hostOf(request.headers.host)));
    response.setHeader("Cache-Control", "no-cache");
    response.type("html").send(page);
  };
}

/**
 * Serves the assets of the page. Browsers may cache them for a year, because a file's name changes with its content.
 */
export const consoleAssets = express.static(join(FILES, "assets"), {
  immutable: true,
  maxAge: "1y",
  index: false,
  redirect: false,
});

/** Serves the manuals, which build/manuals.ts makes. A manual loads no other files. */
export const consoleManuals = express.static(join(FILES, "manuals"), {
  index: false,
  redirect: false,
  setHeaders: (response) => response.setHeader("Content-Security-Policy", PAGE_POLICY),
});

/**
 * Returns the console's policy. A page loads everything from the service and makes images of receipts itself. It may
 * also connect to other ports of the same host: to the emulator's control interface, and to the service's new port
 * after a restart.
 */
function policy(host: string): string {
  // A policy cannot name an IPv6 address, so allow every host.
  const sameHost = `http://${host.startsWith("[") ? "*" : host}:*`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src 'self' ${sameHost}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/**
 * Reads the host from the Host header. The guard has checked the header already; this function still accepts only the
 * form of a host name, so that nothing else gets into the policy.
 */
function hostOf(header = ""): string {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?=:\d+$|$)/i.exec(header)?.[1] ?? "localhost";
}
