/** Which package this is: the one for developers, or the one for shops, which has no emulator. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** In sources and build alike, the emulator is a folder beside src/; the shops' package lacks it. */
export const HAS_EMULATOR = existsSync(fileURLToPath(new URL("../emulator", import.meta.url)));
