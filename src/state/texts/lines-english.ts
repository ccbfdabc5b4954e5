/** The texts of the doctor's lines in English, apart from findings. */
export const ENGLISH_LINES = {
  program: "tillseal {version} on Node {node}",
  card: "{uid} of {shop}, TIN {tin}, applet {applet}",
  valid: "valid {from} to {to}",
  notYetValid: "valid {from} to {to}, but the clock says {now}",
  amounts: "{sum} of {limit} signed since the last audit",
  ratesOfFile: "environment {name}, from the file {file}",
  ratesSent: "environment {name}, which the tax authority sent{values} ({time})",
  ratesImported: "environment {name}, from a file that a person imported{values} ({time})",
  ratesRestored: "environment {name}, from a backup that a person restored{values} ({time})",
  authorityAnswers: "it answered at {time}",
  authorityNotAsked: "it is not asked now",
  authorityFails: "it did not answer at {time}: {reason}",
  clockDiffers: "at {time}, it differed by {seconds} s from {server}",
  clockAgrees: "at {time}, it agreed with {server} to {seconds} s",
  clockUnknown: "at {time}, {server} could not be reached: {reason}",
  noPackageRefused: "this store knows of no refused package",
  packagesRefused:
    "the tax authority has refused packages: {count}, the first {number} ({time}): {reason}; send them again with tillseal audit now, or write them to a stick with tillseal audit export",
  folderIsFile: "{folder} is a file; choose a folder",
  folderReadOnly: "{folder} cannot be written; give it to the user that runs the service",
  folderNotYet: "{folder} will be created at the first start",
  folderOpen: "{folder} is open to other users of this machine; run chmod 700 on it",
  folderWritable: "{folder} can be written",
  folderPrivate: "{folder} can be written, and others cannot read it",
  folderRightsUnknown: "{folder} can be written; icacls could not say who else may read it",
  folderOpenTo: "{folder} is open to {groups}; remove their access as administrator: {command}",
  freeSpace: "{megabytes} MiB free for {folder}",
  noStore: "there is none yet; the first start creates it",
  olderStore: "{file} was written by an older tillseal; the first start of this version upgrades it",
  storeInMemory: "in memory, until the service ends",
  noReceipt: "no signed receipt in this store; entries: {entries}",
  undamaged: "entries: {entries}, the newest receipt is from {time}; undamaged among the newest: {checked}",
  damaged: "entries: {entries}, damaged among the newest: {bad}. Run tillseal verify, and keep your backups",
  oneDisk: "the service makes no backups: set backupFolder to a folder on another disk",
  backupUnreadable: "{folder} cannot be read ({reason}): create it, or connect its disk",
  noBackup: "{folder} has no good backup of this store that is dated before {now}",
  backup: "the last good backup is from {time}, {hours} h ago: {file} (checked at {checked})",
  backupUnread:
    "the last backup is from {time}, {hours} h ago: {file} (header and size are right; SQLite has not read it)",
  backupLate:
    "the last backup that counts is from {time}, {hours} h ago: {file}. A backup is due every {due} h: look into the service's log",
  backupsAhead:
    "backups dated in the future: {count}, the last one {file}. The clock was ahead when they were made, or is behind now. They do not count, and are not removed: check the clock, and remove them when you do not need them",
} as const;

export type LineKey = keyof typeof ENGLISH_LINES;
