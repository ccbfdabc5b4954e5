/** Which package this is: the one for developers, or the one for shops, which has no emulator in it. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The emulator lies beside src/, in the sources and in the build, or it is not there. */
export const HAS_EMULATOR = existsSync(fileURLToPath(new URL("../emulator", import.meta.url)));
