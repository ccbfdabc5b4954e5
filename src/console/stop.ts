/**
 * Lets `tillseal stop` end the service, on every system: a request with the secret from a file that only the service's
 * user, and root, can read. Processes are never killed by their id, which another process may have by now.
 */
import type { RequestHandler } from "express";
import { HttpError } from "../http/errors.js";
import { holdsBearer } from "./token.js";

export interface StopAccess {
  /** Data folder; a file in it contains the secret. */
  readonly folder: string;
  readonly secret: string;
  /** Ends the process after the requests that run now are answered. */
  readonly stop: () => void;
}

export function postStop({ secret, stop }: StopAccess): RequestHandler {
  const holdsSecret = holdsBearer(secret);
  return (request, response) => {
    if (!holdsSecret(request)) {
      throw new HttpError(
        403,
        "Authorization",
        "Use tillseal stop: this needs the secret in the service's data folder",
      );
    }
    response.once("finish", stop);
    response.status(202).end();
  };
}
