/** Explains errors of SQLite and the system: what is wrong, in which folder, what to do. */
import { accessSync, closeSync, constants, openSync, statfsSync } from "node:fs";
import { codeOf } from "../base/thrown.js";
import { LedgerError, type LedgerFault } from "./ledger.js";

const SENTENCES: Record<LedgerFault, (dataDir: string) => string> = {
  full: (dataDir) => `The disk is full (${dataDir}). Free some space`,
  "read-only": (dataDir) => `The data folder cannot be written (${dataDir}). Give the service's user write access`,
  io: (dataDir) => `The disk failed (${dataDir}). Check the disk`,
  "no-files": (dataDir) =>
    `The service may not open more files (EMFILE, ${dataDir}). Raise its limit, such as LimitNOFILE`,
  busy: (dataDir) => `Another program holds the store (${dataDir}). Close it`,
  "taken-over": (dataDir) => `Another tillseal has taken over the store (${dataDir}). Stop one of the two`,
  gone: (dataDir) => `The store was removed or replaced (${dataDir}). Restart the service`,
  damaged: (dataDir) => `The store is damaged (${dataDir}). Run "tillseal verify" to see where`,
};

/** @param reason a detail for the message: the system's message, or for example the name of a file */
export function ledgerError(fault: LedgerFault, dataDir: string, reason?: string, cause?: unknown): LedgerError {
  const because = reason === undefined ? "" : ` (${reason})`;
  return new LedgerError(fault, SENTENCES[fault](dataDir) + because, { cause });
}

/**
 * Turns an error into one that explains the fault.
 * @returns a LedgerError; an error that comes neither from SQLite nor from the system is returned unchanged
 */
export function explained(error: unknown, dataDir: string): unknown {
  if (error instanceof LedgerError) return error;
  const fault = faultOf(codeOf(error) ?? "", dataDir);
  if (fault === undefined) return error;
  // For other faults, the message in SENTENCES is enough.
  const reason = fault === "io" || fault === "damaged" ? (error as Error).message : undefined;
  return ledgerError(fault, dataDir, reason, error);
}

const CODES: readonly (readonly [RegExp, LedgerFault])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)$/, "full"],
  [/^SQLITE_READONLY_DBMOVED$/, "gone"],
  [/^(SQLITE_(READONLY|PERM)|EROFS$|EACCES$|EPERM$)/, "read-only"],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, "busy"],
  // This program never writes a row that the schema refuses. If SQLite refuses a row, the store was changed.
  // SQLite reads beyond the end of a file that became shorter.
  [/^SQLITE_(CORRUPT|NOTADB|FORMAT|CONSTRAINT|ERROR|MISMATCH|IOERR_READ|IOERR_SHORT_READ)/, "damaged"],
  [/^(SQLITE_(CANTOPEN|IOERR|NOLFS|NOMEM|INTERRUPT)|EIO$|EEXIST$|ENOTDIR$|EFBIG$)/, "io"],
  [/^(EMFILE|ENFILE)$/, "no-files"],
];

function faultOf(code: string, dataDir: string): LedgerFault | undefined {
  const fault = CODES.find(([pattern]) => pattern.test(code))?.[1];
  // SQLite's "disk I/O error" and "unable to open database file" have several causes: check the folder.
  return fault === "io" ? (folderFault(dataDir) ?? fault) : fault;
}

function folderFault(dataDir: string): LedgerFault | undefined {
  try {
    accessSync(dataDir, constants.W_OK);
    if (process.platform !== "win32") closeSync(openSync(dataDir, "r"));
    return statfsSync(dataDir).bavail === 0 ? "full" : undefined;
  } catch (error) {
    const code = codeOf(error) ?? "";
    return /^(EROFS|EACCES|EPERM|EMFILE|ENFILE)$/.test(code) ? faultOf(code, dataDir) : undefined;
  }
}
