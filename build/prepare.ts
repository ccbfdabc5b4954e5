/**
 * Part of `npm run build`: writes `dist/prepared` with results that every start would otherwise compute.
 * @param process.argv [folder, "production"]: production prepares nothing for the emulator
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILD_FILE } from "../src/base/build.js";
import { PREPARED_FOLDER, preparedName } from "../src/base/prepared.js";
import { prepareValidator, sourceOf, VALIDATOR } from "../src/schema/compiler.js";
import { knownSchemas } from "../src/schema/validator.js";
import { buildHash } from "./build-hash.js";

const [folder = PREPARED_FOLDER, edition = "development"] = process.argv.slice(2);

// Modules register their schemas when they are loaded.
await import("../src/commands/program.js");
await import("../src/service/service.js");
const files = new Map<string, string>();
if (edition === "development") {
  const { yamlContents } = await import("./prepare-emulator.js");
  for (const [name, content] of yamlContents()) files.set(name, content);
}
for (const schema of knownSchemas()) files.set(preparedName(sourceOf(schema), VALIDATOR), prepareValidator(schema));

const hash = buildHash();
if (hash !== "") files.set(BUILD_FILE, `${hash}\n`);

mkdirSync(folder, { recursive: true });
for (const [name, content] of files) replace(join(folder, name), content);
for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));

/** Replaces the file in one step, because a running process may be reading it. */
function replace(file: string, content: string): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}
