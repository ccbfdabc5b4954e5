/** The address in QR codes: the verification page of this service, under an address that phones can reach. */
import type { Request } from "express";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { nearby } from "../../src/http/listen.js";
import { VERIFICATION_PATH } from "../tax-authority/verification-page.js";
import type { WorldOptions } from "./world-options.js";

/** Names below .test never resolve (RFC 6761), so no phone can open such an address. */
const NOWHERE = /^https?:\/\/[^/]+\.test\//;

/** A name or an address with an optional port. It allows nothing else, so that a Host header cannot change the rest of the URL. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/**
 * The beginning of a verification URL, before its data; undefined without an environment, or if the environment's own
 * address is real.
 * @param publicAddress the setting
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
 * As {@link verificationRoot}, for receipts of the online service, which has no verification page.
 * @param service base URL of the till's service
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
 * Whether an address of the emulated authority differs from an earlier one only in its port.
 * @param authority the authority's present base URL
 */
export function isMoved(before: string, after: string, authority: string | undefined): boolean {
  if (authority === undefined || !URL.canParse(before) || !URL.canParse(after)) return false;
  const [old, present] = [new URL(before), new URL(after)];
  old.port = present.port;
  return old.href === present.href && present.origin === authority;
}

/**
 * The address that the POS called, which the guard allows. Customers cannot reach the address on which the service listens if it
 * runs in a container, behind a mapped port or behind a proxy.
 */
function calledAddress({ headers: { host = "" }, socket }: Request): string {
  return `http://${HOST.test(host) ? host : `localhost:${socket.localPort}`}`;
}
