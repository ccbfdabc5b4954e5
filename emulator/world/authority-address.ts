/** The address in QR codes. It leads to the verification page of this service, and phones can reach it. */
import type { Request } from "express";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { nearby } from "../../src/http/listen.js";
import { VERIFICATION_PATH } from "../tax-authority/verification-page.js";
import type { WorldOptions } from "./world-options.js";

/** Matches addresses below .test. Such names never resolve (RFC 6761), so no phone can open these addresses. */
const NOWHERE = /^https?:\/\/[^/]+\.test\//;

/**
 * Matches a host name or an address with an optional port. It matches nothing else, so that a Host header cannot change
 * the rest of the URL.
 */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/**
 * Returns a function that gives the beginning of a verification URL, before its data. Returns undefined if there is no
 * environment, or if the environment has a real address.
 * @param publicAddress the setting `publicAddress`
 */
export function verificationRoot(
  environment: FiscalEnvironment | undefined,
  publicAddress: string | undefined,
): ((request: Request) => string) | undefined {
  if (!environment || !NOWHERE.test(environment.parameters.endpoints.root)) return undefined;
  const address = publicAddress?.replace(/\/+$/, "");
  return (request) => (address ?? calledAddress(request)) + VERIFICATION_PATH;
}

/**
 * Does the same as {@link verificationRoot} for receipts of the online service. Their address leads to the till's
 * service, because the online service has no verification page.
 * @param service returns the base URL of the till's service
 */
export function ownRoot(
  { ownAuthority, publicAddress }: Pick<WorldOptions, "ownAuthority" | "publicAddress">,
  environment: FiscalEnvironment | undefined,
  service: () => string,
): (() => string) | undefined {
  if (!ownAuthority || !environment || !NOWHERE.test(environment.parameters.endpoints.root)) return undefined;
  return () => (publicAddress?.replace(/\/+$/, "") ?? nearby(service())) + VERIFICATION_PATH;
}

/**
 * Whether an address of the emulated authority differs from an earlier address only in its port.
 * @param authority the authority's present base URL
 */
export function isMoved(before: string, after: string, authority: string | undefined): boolean {
  if (authority === undefined || !URL.canParse(before) || !URL.canParse(after)) return false;
  const [old, present] = [new URL(before), new URL(after)];
  old.port = present.port;
  return old.href === present.href && present.origin === authority;
}

/**
 * Returns the base URL that the POS called; the guard has allowed its host. We do not use the address on which the
 * service listens, because customers cannot reach that address if the service runs in a container, behind a mapped port
 * or behind a proxy.
 */
function calledAddress({ headers: { host = "" }, socket }: Request): string {
  return `http://${HOST.test(host) ? host : `localhost:${socket.localPort}`}`;
}
