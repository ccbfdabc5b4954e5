/** A folder for all tests of a process, deleted when it exits. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function sharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-test-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
