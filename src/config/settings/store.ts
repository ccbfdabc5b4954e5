/** Settings for backups of the store, and for how long the store keeps receipts. */
import { type SettingRows, TEXT } from "./row.js";

export const STORE_SETTINGS = {
  backupFolder: {
    schema: TEXT,
    description:
      "folder for daily copies of the store, best on another disk; it must exist. The service reads each copy back and checks it. Without this setting, it makes no copies",
  },
  backupKeep: {
    schema: { type: "integer", minimum: 1, maximum: 10_000 },
    default: 30,
    description: "copies of this store to keep in `backupFolder`; after each new copy, the service deletes older ones",
    console: "backups",
  },
  retentionYears: {
    schema: { type: "integer", minimum: 1, maximum: 100 },
    description:
      "years after which the service erases receipts that a proof of audit covers; ask your bookkeeper how many the law requires. The service erases nothing until the clock agrees with a time server or with the tax authority. Default: it keeps them for ever",
    scope: "behaviour",
  },
} as const satisfies SettingRows;
