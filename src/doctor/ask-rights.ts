/** Asks Windows for the access rights of a file or folder. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { savedDescriptor } from "./windows-rights.js";

/** ms that we wait for icacls, which reads one entry. */
const ANSWER_LIMIT_MS = 5_000;

/** Returns the security descriptor of a path in SDDL; undefined if Windows does not give it. */
export type AskRights = (path: string) => Promise<string | undefined>;

export const askRights: AskRights = async (path) => {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-rights-"));
  try {
    const file = join(folder, "rights");
    await promisify(execFile)("icacls", [path, "/save", file, "/q"], { timeout: ANSWER_LIMIT_MS, windowsHide: true });
    return savedDescriptor(readFileSync(file));
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
