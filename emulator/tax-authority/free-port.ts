/** Opens a server on a port that only a default names, so that another program may have it. */
import { codeOf } from "../../src/base/thrown.js";

/** Default port of the authority. It is not 8433, because the compose profile uses 8433. */
export const AUTHORITY_PORT = 8434;

/** Opens a server on this port, or on a free port if another program uses it. */
export async function orOnFreePort<T>(port: number, open: (port: number) => Promise<T>): Promise<T> {
  try {
    return await open(port);
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE") return open(0);
    throw error;
  }
}
