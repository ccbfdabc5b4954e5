/** Backups of the store, and how long it keeps receipts. */
import { type SettingRows, TEXT } from "./row.js";

export const STORE_SETTINGS = {
  backupFolder: {
    schema: TEXT,
    description:
      "folder into which the service copies its store from time to time, best on another disk; it must exist. Each copy is read back and checked. Without it the service makes no copies",
    scope: "machine",
  },
  backupHours: {
    schema: { type: "integer", minimum: 1, maximum: 8_760 },
    default: 24,
    description: "hours from one copy in `backupFolder` to the next",
    scope: "machine",
  },
  backupKeep: {
    schema: { type: "integer", minimum: 1, maximum: 10_000 },
    default: 30,
    description: "copies of this store that stay in `backupFolder`; the service deletes older ones after each new copy",
    scope: "machine",
  },
  retentionYears: {
    schema: { type: "integer", minimum: 1, maximum: 100 },
    description:
      "years after which the service erases receipts, once a proof of audit covers them; ask your bookkeeper how many the law wants. Default: it keeps them for ever",
    scope: "behaviour",
  },
} as const satisfies SettingRows;
