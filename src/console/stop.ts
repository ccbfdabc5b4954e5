/**
 * How `tillseal stop` ends the service, on every system: a request with the secret of the file that only the service's own
 * user, and root, can read. No process is ever ended by its number, which another process may have by now.
 */
import { timingSafeEqual } from "node:crypto";
import type { RequestHandler } from "express";
import { HttpError } from "../http/errors.js";

export interface StopAccess {
  /** Data folder with the file that has the secret. */
  readonly folder: string;
  readonly secret: string;
  /** Ends the process, when the answers in flight are finished. */
  readonly stop: () => void;
}

export function postStop({ secret, stop }: StopAccess): RequestHandler {
  const expected = Buffer.from(`Bearer ${secret}`);
  return (request, response) => {
    const given = Buffer.from(request.headers.authorization ?? "");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
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
