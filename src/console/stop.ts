/**
 * Lets `tillseal stop` end the service, on every system. The command sends a request with a secret; only the service's
 * user, and root, can read the file with this secret. The command never kills a process by its id, because another
 * process may have the same id by now.
 */
import type { RequestHandler } from "express";
import { HttpError } from "../http/errors.js";
import { holdsBearer } from "./token.js";

export interface StopAccess {
  /** Data folder; a file in it contains the secret. */
  readonly folder: string;
  /** Ends the process after the requests that run now are answered. */
  readonly stop: () => void;
}

export function postStop({ stop }: StopAccess, secret: string): RequestHandler {
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
