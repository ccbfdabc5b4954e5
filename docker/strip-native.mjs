/**
 * Leaves of each native module what is loaded on this platform and this Node: no sources of SQLite, no other platform's
 * binaries, nothing that the compiler left behind. `node strip-native.mjs NODE_MODULES`
 */
import { readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";

const modules = resolve(process.argv[2]);
const require = createRequire(join(modules, "package.json"));
const Database = require("better-sqlite3");
new Database(":memory:").close();
require("pcsclite");
const loaded = process.report.getReport().sharedObjects;

rmSync(join(modules, "better-sqlite3-node20"), { recursive: true, force: true });
for (const name of ["better-sqlite3", "pcsclite"]) {
  const folder = join(modules, name);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const isNative = /\.node$|^(build|deps|src)\//.test(relative(folder, file));
    if (entry.isFile() && isNative && !loaded.includes(file)) rmSync(file);
  }
}
