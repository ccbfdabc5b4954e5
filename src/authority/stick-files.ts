/** Names and types of the files in the folder `{UID}` on a stick (protocol facts, section 8). */

/** Name of the file that lists the files of a copy. The authority's portal does not need this file. */
export const COPY_LIST = "tillseal-copy.json";

/** Content of {@link COPY_LIST}: the SHA-256 of each file, in hexadecimal. */
export interface CopyList {
  readonly uid: string;
  readonly files: Readonly<Record<string, string>>;
}

export const isUid = (name: string): boolean => /^[\x21-\x7e]{8}$/.test(name);

export const stickNames = (uid: string) => ({
  commands: `${uid}.commands`,
  results: `${uid}.results`,
  request: `${uid}.arp`,
});

export interface StickFile {
  readonly name: string;
  /** Content of the file; null if no package can be made of the stored sale. */
  readonly base64: string | null;
  /** Whether there is no package because the authority's key is not known yet; otherwise the sale is damaged. */
  readonly needsKey?: boolean;
}

/** The last element of the list of files. If it is missing, the list was interrupted. */
export interface StickEnd {
  readonly end: true;
  /** Id of the newest sale that the files contain; null if a package could not be made. */
  readonly entry: number | null;
}

/** The result of a command, as reported in `{UID}.results`. */
export interface CommandResult {
  readonly commandId: string;
  readonly success: boolean;
  /** When the result was written: ISO 8601, UTC. */
  readonly dateAndTime: string;
}

export interface TakenCommands {
  readonly results: readonly CommandResult[];
  readonly failed: readonly { readonly commandId: string; readonly type: number; readonly reason: string }[];
  /** Number of results of commands that were executed before this file came. */
  readonly earlier: number;
  /** Number of commands for this card that wait for a person's yes. They have no result yet. */
  readonly held: number;
  /** Number of other commands that could not be executed yet, for example because the card waits for its PIN. */
  readonly waiting: number;
  /** Number of commands for other cards. */
  readonly foreign: number;
}

/** Whether a file comes from an export, also from an interrupted export. */
export function isExported(uid: string, name: string): boolean {
  const isPackage = name.startsWith(`${uid}-${uid}-`) && /\.json(\.new)?$/.test(name);
  return isPackage || name === stickNames(uid).request;
}

export interface Sticks {
  /** Folders and drives of the sticks, such as `/media/ana/STICK` and `E:`. */
  readonly places: readonly string[];
  /** Why the service cannot see sticks; null if it can. */
  readonly problem: string | null;
}
