/**
 * Decides who may see receipts and settings in the console. With a real card, only callers on the service's machine may
 * see them: the service may also listen for tills in the network, which must not see the shop's turnover. With the
 * setting `consoleToken`, a token decides instead of the machine (see token.ts).
 */
import type { Request, RequestHandler } from "express";
import { HttpError } from "./errors.js";

export type Trust = (request: Request) => boolean;

export const everybody: Trust = () => true;

/** Trusts callers by their connection's address, which no header can change. A local proxy makes each caller local. */
export const thisMachine: Trust = ({ socket: { remoteAddress = "", localAddress } }) =>
  /^(::ffff:)?127\./.test(remoteAddress) || remoteAddress === "::1" || remoteAddress === localAddress;

/** Refuses callers that are not trusted. @param asksToken whether a token decides instead of the address */
export function onlyTrusted(trusts: Trust, asksToken: boolean): RequestHandler {
  return (request, _response, next) => {
    if (trusts(request)) return next();
    if (asksToken) throw new HttpError(403, "token", "Receipts, reports and settings need the token of this service");
    throw new HttpError(403, "address", "Receipts, reports and settings are only shown on the machine itself");
  };
}
