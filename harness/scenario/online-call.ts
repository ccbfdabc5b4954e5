/** Calls the authority's online service with the client certificate and the header PAC of the emulator. */
import { Agent } from "node:https";
import { type HttpAnswer, type HttpRequest, httpCall } from "./http-call.js";

/** What a call to the online service needs. The certificates and the key are PEM texts. */
export interface OnlineAddress {
  readonly url: string;
  readonly pac: string;
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

/** Sends a request to the online service. @param request may have a header with another PAC, or with an empty PAC */
export async function onlineCall(
  { url, pac, certificate: cert, key, ca }: OnlineAddress,
  request: HttpRequest,
): Promise<HttpAnswer | undefined> {
  const agent = new Agent({ cert, key, ca, keepAlive: false });
  try {
    return await httpCall(url, { ...request, headers: { PAC: pac, ...request.headers } }, agent);
  } finally {
    agent.destroy();
  }
}
