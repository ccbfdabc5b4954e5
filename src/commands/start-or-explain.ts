/** Explains to people why a service does not start. */
import { codeOf, messageOf } from "../base/thrown.js";
import { UserError } from "../base/user-error.js";
import { consoleAt } from "../client/find-running.js";
import type { Address } from "../http/listen.js";
import { explainPortRights } from "../http/port-rights.js";

/** System errors of a data folder that cannot be written. */
const FOLDER_CODES = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "EIO", "ELOOP", "ENOENT"];

/** Waits for a start, and explains a failure to people. @param prefix of the flags that name the address */
export async function startOrExplain<T>(starting: Promise<T>, { port, host }: Address, prefix = ""): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EADDRINUSE") {
      const { address = host } = error as { address?: string };
      const consoleUrl = await consoleAt({ port, host: address });
      const user =
        consoleUrl === undefined ? "" : ` by a tillseal that runs already, with its console at ${consoleUrl}`;
      throw new UserError(
        `port ${port} is in use at ${address}${user}; --${prefix}port 0 picks a free one, --${prefix}port N another`,
      );
    }
    if (code === "EACCES" && error instanceof Error && "syscall" in error && error.syscall === "listen") {
      throw new UserError(`port ${port} ${explainPortRights()}`);
    }
    if (code === "EADDRNOTAVAIL") throw new UserError(`${prefix}host ${host} is not an address of this machine`);
    if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
      throw new UserError(`${prefix}host ${host} cannot be resolved on this machine`);
    }
    if (code === "ENOTDIR" || code === "EEXIST") {
      throw new UserError(`the data folder is a file, or one of its parts is: ${messageOf(error)}; choose a folder`);
    }
    if (code !== undefined && FOLDER_CODES.includes(code)) {
      throw new UserError(`the data folder cannot be written: ${messageOf(error)}`);
    }
    throw error;
  }
}
