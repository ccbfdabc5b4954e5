/** The folder `{UID}` on a stick (protocol facts, section 8), for commands, console and service. */

/** What a copy consists of; the authority's portal does not need it. */
export const COPY_LIST = "tillseal-copy.json";

/** {@link COPY_LIST}: SHA-256 in hexadecimal of each file. */
export interface CopyList {
  readonly uid: string;
  readonly files: Readonly<Record<string, string>>;
}

export const stickNames = (uid: string) => ({
  commands: `${uid}.commands`,
  results: `${uid}.results`,
  request: `${uid}.arp`,
});

/** A file of the folder `{UID}` on a stick. */
export interface StickFile {
  readonly name: string;
  /** null where no package can be made of the stored sale: it is damaged, or the card has not named the authority's key yet. */
  readonly base64: string | null;
}

/** What the authority hears of each command: `{UID}.results`. */
export interface CommandResult {
  readonly commandId: string;
  readonly success: boolean;
}

export interface TakenCommands {
  readonly results: readonly CommandResult[];
  /** How many could not be executed yet, such as where the card waits for its PIN. */
  readonly waiting: number;
  /** How many are for another card. */
  readonly foreign: number;
}

/** Whether an export has written it, also one that was interrupted. */
export function isExported(uid: string, name: string): boolean {
  const isPackage = name.startsWith(`${uid}-${uid}-`) && /\.json(\.new)?$/.test(name);
  return isPackage || name === stickNames(uid).request;
}
