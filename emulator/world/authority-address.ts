/** Where QR codes lead: to the emulated authority, at an address under which others reach this service. */
import type { Request } from "express";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import { VERIFICATION_PATH } from "../tax-authority/verification-page.js";

/** Names below .test exist nowhere (RFC 6761): no phone could open such an address. */
const NOWHERE = /^https?:\/\/[^/]+\.test\//;

/** A name or an address, and a port: nothing that changes what the rest of an address means. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/**
 * The beginning of a verification URL, before its data; undefined if the environment's address leads somewhere.
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
 * The address that the POS has called, which the guard allows. The service's own addresses would be wrong in a container,
 * behind a mapped port or a proxy: customers cannot reach them.
 */
function calledAddress({ headers: { host = "" }, socket }: Request): string {
  return `http://${HOST.test(host) ? host : `localhost:${socket.localPort}`}`;
}
