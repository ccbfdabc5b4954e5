/** Room on the disk. Only types: the console's code imports this file too. */

export interface SpaceRecord {
  /** The data folder. */
  readonly folder: string;
  /** Free bytes on the data folder's disk; null if the system cannot measure them. */
  readonly free: number | null;
  /** Old backups on the same disk that can be deleted. */
  readonly backups: number;
  /** Size of these backups in bytes. */
  readonly bytes: number;
  /** Whether deleting them needs the card's PIN. */
  readonly asksPin: boolean;
}

/** Whether backups can be written to a folder. */
export interface TriedFolderRecord {
  readonly folder: string;
  /** null if backups can be written to the folder. */
  readonly problem: "missing" | "no-folder" | "not-writable" | null;
  /** The system's message about the problem; "" without one. */
  readonly reason: string;
  /** Whether the folder is on the same disk as the store: if that disk breaks, both are lost. */
  readonly sameDisk: boolean;
  /** The file of the settings; null with temporary data. */
  readonly file: string | null;
  /** The line that sets the folder in that file. */
  readonly line: string;
}
