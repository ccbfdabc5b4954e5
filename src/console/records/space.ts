/** Space on the disk. */

export interface SpaceRecord {
  readonly folder: string;
  /** Free bytes on the data folder's disk; null if the system cannot measure them. */
  readonly free: number | null;
  /** Number of old backups on the same disk that can be deleted. */
  readonly backups: number;
  /** Total size in bytes of the old backups that can be deleted. */
  readonly bytes: number;
  /** Whether a person needs the card's PIN to delete old backups. */
  readonly asksPin: boolean;
}

/** Result of a test whether backups can be written to a folder. */
export interface TriedFolderRecord {
  readonly folder: string;
  /** Why backups cannot be written to the folder; null if they can. */
  readonly problem: "missing" | "no-folder" | "not-writable" | null;
  /** The system's message about the problem; "" without a message. */
  readonly reason: string;
  /** Whether the folder is on the same disk as the store: if that disk breaks, both are lost. */
  readonly sameDisk: boolean;
  /** The file of the settings; null with temporary data. */
  readonly file: string | null;
  /** The line that sets the folder in that file. */
  readonly line: string;
}
