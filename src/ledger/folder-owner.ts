/** Files that root makes in the data folder of a service belong to the service's user, or the service could not open them. */
import { lchownSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Never follows a link, which the folder's owner may have put there.
 * @param names in the folder. Throws the system's error
 */
export function giveToOwner(folder: string, names: readonly string[]): void {
  // On Windows, files get the rights of their folder.
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  for (const name of names) lchownSync(join(folder, name), uid, gid);
}
