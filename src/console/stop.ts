/**
 * Lets `tillseal stop` end the service, on every system. The command sends a request with a secret; only the service's
 * user, and root, can read the file with this secret. The command never kills a process by its id, because another
 * process may have the same id by now.
 */
import { existsSync } from "node:fs";
import { count } from "../base/count.js";
import type { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import type { CallHandler } from "../http/endpoint-router.js";
import { HttpError } from "../http/errors.js";
import { holdsBearer } from "./token.js";

export interface StopRecord {
  readonly supervisor: "systemd" | "container" | null;
}

export interface StopAccess {
  /** Data folder; a file in it contains the secret. */
  readonly folder: string;
  /** Ends the process after the requests that run now are answered. */
  readonly stop: () => void;
}

/** @param fiscalizer a receipt that only it has is lost with the process, so that the caller must ask for it */
export function postStop({ stop }: StopAccess, secret: string, fiscalizer: Pick<Fiscalizer, "unwritten">): CallHandler {
  const holdsSecret = holdsBearer(secret);
  return ({ request, response }): StopRecord => {
    if (!holdsSecret(request)) {
      throw new HttpError(
        403,
        "Authorization",
        "Use tillseal stop: this needs the secret in the service's data folder",
      );
    }
    const { unwritten } = fiscalizer;
    if (unwritten > 0 && request.query.anyway === undefined) {
      throw new HttpError(
        503,
        "store",
        `${count(unwritten, "signed receipt")} would be lost: the store cannot be written, and only the memory has it. Correct the disk, or add --anyway`,
        {},
        "1999",
      );
    }
    response.once("finish", stop);
    return { supervisor: supervisor() };
  };
}

/** Who may start the process again: systemd names the process that it has started, an engine starts process 1. */
function supervisor(): StopRecord["supervisor"] {
  if (process.env.SYSTEMD_EXEC_PID === String(process.pid)) return "systemd";
  const isFirst = process.pid === 1 || process.ppid === 1;
  return isFirst && ["/.dockerenv", "/run/.containerenv"].some((file) => existsSync(file)) ? "container" : null;
}
