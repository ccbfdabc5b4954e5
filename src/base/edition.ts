/** Finds which package this is: the package for developers, or the package for shops, which has no emulator. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "./package-root.js";

/**
 * Whether this package has the emulator. The sources have the emulator in the root folder, a package has it in `dist`.
 */
export const HAS_EMULATOR = ["harness", "dist/harness"].some((folder) => existsSync(join(PACKAGE_ROOT, folder)));
