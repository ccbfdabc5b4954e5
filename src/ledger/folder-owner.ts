/**
 * Makes root work as the user of the service whose data folder a command reads or writes. Otherwise a link in that
 * folder could make root read or change files that the service's user may not touch.
 */
import { statSync } from "node:fs";

interface Rights {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** The rights of root and of the folder's owner, if root can take its own back. */
let both: { readonly root: Rights; readonly owner: Rights } | undefined;
let givenUp = false;

/**
 * Gives up the rights of root for the rest of this process, if a folder belongs to another user. Files that the process
 * then makes belong to that user, and the service can open them.
 * @param returning whether {@link asCaller} takes root's rights back, for files that the caller names
 */
export function becomeOwnerOf(folder: string, returning = false): void {
  if (both !== undefined || process.geteuid?.() !== 0) return;
  const { uid = 0, gid = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  if (uid === 0) return;
  const owner = { uid, gid, groups: [gid] };
  if (returning) {
    both = { root: { uid: 0, gid: process.getegid?.() ?? 0, groups: process.getgroups?.() ?? [] }, owner };
    take(owner);
    return;
  }
  givenUp = true;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/**
 * Runs a task with the rights of the person who runs the command: it reads or writes a file that this person named.
 * @throws Error if root's rights were given up for good
 */
export function asCaller<T>(task: () => T): T {
  if (givenUp) throw new Error("root cannot take its rights back: becomeOwnerOf was called without `returning`");
  return withRights("root", "owner", task);
}

/** Runs a part of {@link asCaller}'s task with the rights of the folder's owner again. */
export function asOwner<T>(task: () => T): T {
  return withRights("owner", "root", task);
}

function withRights<T>(during: "root" | "owner", after: "root" | "owner", task: () => T): T {
  if (both === undefined) return task();
  const rights = both;
  take(rights[during]);
  let result: T | undefined;
  try {
    result = task();
  } finally {
    if (!(result instanceof Promise)) take(rights[after]);
  }
  return result instanceof Promise ? (result.finally(() => take(rights[after])) as T) : (result as T);
}

function take({ uid, gid, groups }: Rights): void {
  // Only root may change the groups.
  process.seteuid?.(0);
  process.setgroups?.([...groups]);
  process.setegid?.(gid);
  process.seteuid?.(uid);
}
