/** A scenario in a file, as a user writes it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./folder.js";

/** @returns the path of the file, which is deleted at the end of the test */
export function scenarioFile(text: string): string {
  const file = join(temporaryFolder(), "scenario.yaml");
  writeFileSync(file, text);
  return file;
}
