/**
 * Keeps only the files of native modules that this platform and this Node load. Removes sources, binaries for other platforms, and
 * modules that need a compiler. `node strip-native.mjs NODE_MODULES`
 */
import { readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";

const modules = resolve(process.argv[2]);
const require = createRequire(join(modules, "package.json"));
const Database = require("better-sqlite3");
new Database(":memory:").close();
require("koffi");
const loaded = process.report.getReport().sharedObjects;

rmSync(join(modules, "better-sqlite3-node20"), { recursive: true, force: true });
for (const name of ["better-sqlite3", "koffi", "@koromix"]) {
  const folder = join(modules, name);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const isNative = /\.node$|^(build|deps|doc|lib|src|vendor)\//.test(relative(folder, file));
    const isNeeded = loaded.includes(file) || /\.[cm]?js$|\.json$|licen[cs]e/i.test(file);
    if (entry.isFile() && isNative && !isNeeded) rmSync(file);
  }
}
