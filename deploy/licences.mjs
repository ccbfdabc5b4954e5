/**
 * `npm run licences`: prints a line for each third-party package that is shipped, with its licence. The exit status is 1 if one
 * of them must not be shipped.
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import "../build/node.mjs";
import { bundledIn, licenceFaults, readJson, shippedPackages } from "./supply-chain.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [lock = join(root, "package-lock.json")] = process.argv.slice(2);
const packages = shippedPackages(readJson(lock), bundledIn(root));
for (const { name, version, licence, how } of packages) console.log(`${name} ${version}: ${licence}, ${how}`);
const faults = licenceFaults(packages);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
