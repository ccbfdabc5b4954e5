/** Room on the disk. Only types: the console's code imports this file too. */

export interface SpaceRecord {
  /** The data folder. */
  readonly folder: string;
  /** Free bytes of its disk; null if the system does not say. */
  readonly free: number | null;
  /** Old backups on the same disk that can be deleted. */
  readonly backups: number;
  /** Their bytes. */
  readonly bytes: number;
  /** Whether deleting them needs the card's PIN. */
  readonly asksPin: boolean;
}

/** Whether backups can be written to a folder. */
export interface TriedFolderRecord {
  readonly folder: string;
  /** null if it could be written. */
  readonly problem: "missing" | "no-folder" | "not-writable" | null;
  /** The system's words for the problem; "" without one. */
  readonly reason: string;
  /** Whether it is on the same disk as the store: a broken disk then takes both. */
  readonly sameDisk: boolean;
  /** The file of the settings; null with temporary data. */
  readonly file: string | null;
  /** The line for that file. */
  readonly line: string;
}
