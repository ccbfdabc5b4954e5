/** The console's own files, built by Vite, and what they may load. */
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

/** Browsers may cache these files for a year: a file's name changes with its content. */
export const consoleAssets = express.static(join(FILES, "assets"), {
  immutable: true,
  maxAge: "1y",
  index: false,
  redirect: false,
});

/** The manuals, made by build/manuals.ts. They load nothing. */
export const consoleManuals = express.static(join(FILES, "manuals"), {
  index: false,
  redirect: false,
  setHeaders: (response) => response.setHeader("Content-Security-Policy", PAGE_POLICY),
});

/**
 * Pages load everything from the service; images of receipts are made in the page. Other ports of the same host are the
 * emulator's control interface, and the service's new port after a restart.
 */
function policy(host: string): string {
  // A policy cannot name an IPv6 address.
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

/** The guard has checked the header. Still, keep anything but a host name out of the policy. */
function hostOf(header = ""): string {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?=:\d+$|$)/i.exec(header)?.[1] ?? "localhost";
}
