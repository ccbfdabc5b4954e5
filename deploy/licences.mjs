/**
 * `npm run licences`: prints a line for each third-party package that is shipped, with its licence. The exit status is 1 if one
 * of them must not be shipped.
 */
import { join } from "node:path";
import { ROOT } from "./stage.mjs";
import { bundledIn, licenceFaults, readJson, shippedPackages } from "./supply-chain.mjs";

const [lock = join(ROOT, "package-lock.json")] = process.argv.slice(2);
const packages = shippedPackages(readJson(lock), bundledIn(ROOT));
for (const { name, version, licence, how } of packages) console.log(`${name} ${version}: ${licence}, ${how}`);
const faults = licenceFaults(packages);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
