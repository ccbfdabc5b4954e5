#!/usr/bin/env node
/** The command `tillseal`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PACKAGE_ROOT } from "./base/package-root.js";
import { unfitNode } from "./base/unfit-node.js";

/** Only a checkout has it. It starts this program again with another Node. */
const OTHER_NODE = join(PACKAGE_ROOT, "build", "node.mjs");

const unfit = unfitNode();
if (unfit === undefined) {
  const { main } = await import("./commands/program.js");
  await main();
} else if (existsSync(OTHER_NODE)) {
  await import(pathToFileURL(OTHER_NODE).href);
} else {
  process.stderr.write(`${unfit}\n`);
  process.exitCode = 1;
}
