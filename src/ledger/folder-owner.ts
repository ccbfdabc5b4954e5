/**
 * Makes root work as the service's user in the data folder of a service. Otherwise a link in that folder could make
 * root read or change files that the service's user may not touch.
 */
import { statSync } from "node:fs";

/**
 * Gives up the rights of root for the rest of this process, if a folder belongs to another user. Files that the process
 * then makes belong to that user, and the service can open them.
 * @returns the user's id; undefined if nothing has changed, as on Windows or without the folder
 */
export function becomeOwnerOf(folder: string): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid = 0, gid = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  if (uid === 0) return undefined;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  return uid;
}
