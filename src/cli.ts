#!/usr/bin/env node
/** The command `tillseal`. It checks Node's version before it loads anything else, because SQLite does not load on an older one. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const manifest = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "package.json");
const { engines } = JSON.parse(readFileSync(manifest, "utf8")) as { engines: { node: string } };

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
/** package.json has two forms of ranges: `>=24` and `^22.14`. */
const isSupported = engines.node.split(" || ").some((range) => {
  const [, sign, from, least = 0] = /^(\^|>=)(\d+)(?:\.(\d+))?$/.exec(range) ?? [];
  if (major === Number(from)) return minor >= Number(least);
  return sign === ">=" && major > Number(from);
});

if (isSupported) {
  const { main } = await import("./commands/program.js");
  await main();
} else {
  process.stderr.write(
    `tillseal: this is Node.js ${process.versions.node}; tillseal needs ${engines.node}. Install a newer Node.js.\n`,
  );
  process.exitCode = 1;
}
