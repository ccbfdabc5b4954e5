/** The address in QR codes: the verification page of this service, under an address that phones can reach. */
import type { Request } from "express";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { VERIFICATION_PATH } from "../tax-authority/verification-page.js";

/** Names below .test never resolve (RFC 6761), so no phone can open such an address. */
const NOWHERE = /^https?:\/\/[^/]+\.test\//;

/** A name or an address with an optional port. It allows nothing else, so that a Host header cannot change the rest of the URL. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/**
 * The beginning of a verification URL, before its data; undefined if the environment's own address is real.
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
 * The address that the POS called, which the guard allows. Customers cannot reach the address on which the service listens if it
 * runs in a container, behind a mapped port or behind a proxy.
 */
function calledAddress({ headers: { host = "" }, socket }: Request): string {
  return `http://${HOST.test(host) ? host : `localhost:${socket.localPort}`}`;
}
