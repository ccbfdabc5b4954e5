/** The folder of the scenarios that come with the package. */
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

export const SHIPPED_SCENARIOS = join(PACKAGE_ROOT, "scenarios");
