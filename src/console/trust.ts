/**
 * Whom the console shows receipts and settings. With a real card only somebody at the machine itself: the service may
 * listen for tills of the network, and those have no business with the shop's turnover. The setting `consoleToken` asks for a
 * token instead: see token.ts.
 */
import type { Request, RequestHandler } from "express";
import { HttpError } from "../http/errors.js";

export type Trust = (request: Request) => boolean;

export const everybody: Trust = () => true;

/** The address of the connection, which no header can change. Behind a proxy on this machine it is everybody's. */
export const thisMachine: Trust = ({ socket: { remoteAddress = "", localAddress } }) =>
  /^(::ffff:)?127\./.test(remoteAddress) || remoteAddress === "::1" || remoteAddress === localAddress;

/** @param asksToken whether a token decides, not the address */
export function onlyTrusted(trusts: Trust, asksToken: boolean): RequestHandler {
  return (request, _response, next) => {
    if (trusts(request)) return next();
    if (asksToken) throw new HttpError(403, "token", "Receipts, reports and settings need the token of this service");
    throw new HttpError(403, "address", "Receipts, reports and settings are shown on the machine itself only");
  };
}
