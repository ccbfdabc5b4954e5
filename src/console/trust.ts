/**
 * Whom the console shows receipts and settings. With a real card only somebody at the machine itself: the service may
 * listen for tills of the network, and those have no business with the shop's turnover.
 */
import type { Request, RequestHandler } from "express";
import { HttpError } from "../http/errors.js";

export type Trust = (request: Request) => boolean;

export const everybody: Trust = () => true;

/** The address of the connection, which no header can change. */
export const thisMachine: Trust = ({ socket: { remoteAddress = "", localAddress } }) =>
  /^(::ffff:)?127\./.test(remoteAddress) || remoteAddress === "::1" || remoteAddress === localAddress;

export function onlyTrusted(trusts: Trust): RequestHandler {
  return (request, _response, next) => {
    if (!trusts(request))
      throw new HttpError(403, "address", "Receipts and settings are shown on the machine itself only");
    next();
  };
}
