/** Runs the tortures, or the soak, on a pcscd of their own. Without options: the short form, as `npm test` runs it. */
import { execFileSync, spawnSync } from "node:child_process";
import { namespace, requirePcsc } from "../pcsc/namespace.mjs";

/** No run begins after that. One takes some 3 s on an idle machine, so that all of it takes less than 60 s. */
const SHORT = ["main", "--seconds", "40"];

requirePcsc("the tortures");
execFileSync("npm", ["run", "build", "--silent"], { stdio: "inherit" });
const [script, ...options] = process.argv.length > 2 ? process.argv.slice(2) : SHORT;
const [command, ...args] = [...namespace(), process.execPath, `dist/test/faults/${script}.js`, ...options];
process.exit(spawnSync(command, args, { stdio: "inherit" }).status ?? 1);
