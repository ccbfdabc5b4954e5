/** The rights of the data folder on Windows. */
import { ACCOUNT } from "./task.mjs";

const SYSTEM = "S-1-5-18";
const ADMINISTRATORS = "S-1-5-32-544";

/**
 * Arguments of icacls, one list for each call, in order. Afterwards only the system, administrators and the service's account have
 * access, also to files that another user put into the folder before the setup. That user is no longer their owner, because an owner
 * may always change the rights. We use SIDs, because Windows translates the names of groups. `/L` changes a link, and not its target.
 */
export function closingSteps(dataDir) {
  const rights = [`*${SYSTEM}:(OI)(CI)F`, `*${ADMINISTRATORS}:(OI)(CI)F`, `*${ACCOUNT}:(OI)(CI)M`];
  return [
    [dataDir, "/setowner", `*${ADMINISTRATORS}`, "/t", "/l", "/q"],
    [dataDir, "/reset", "/q"],
    [dataDir, "/inheritance:r", "/grant:r", ...rights, "/q"],
    [`${dataDir}\\*`, "/reset", "/t", "/l", "/q"],
  ];
}
