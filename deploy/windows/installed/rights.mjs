/** The rights of the data folder on Windows. */
import { ACCOUNT } from "./task.mjs";

const SYSTEM = "S-1-5-18";
const ADMINISTRATORS = "S-1-5-32-544";

/**
 * Arguments of icacls, one list for each call, in order. Afterwards only the system, administrators and the service's account have
 * access, also to what another user had put into the folder before the setup: that user is no longer the owner, which may always
 * change the rights. SIDs, because the names of groups are translated. `/L` changes a link, and not the place where it leads.
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
