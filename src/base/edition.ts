/** Which package this is: the one for developers, or the one for shops, which has no emulator. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "./package-root.js";

/** The shops' package lacks the emulator. Sources have it in the root, packages in `dist`. */
export const HAS_EMULATOR = ["emulator", "dist/emulator"].some((folder) => existsSync(join(PACKAGE_ROOT, folder)));
