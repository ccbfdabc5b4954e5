#!/usr/bin/env node
/** The command `tillseal`. */
import { unfitNode } from "./base/unfit-node.js";

const unfit = unfitNode();
if (unfit === undefined) {
  const { main } = await import("./commands/program.js");
  await main();
} else {
  process.stderr.write(`${unfit}\n`);
  process.exitCode = 1;
}
