/** Recognises the console's own requests. */
import { CONSOLE_PREFIX } from "./endpoints.js";

/** Requests of the console are not POS traffic. */
export function isConsolePath(path: string): boolean {
  // Express ignores the case of paths.
  const lower = path.toLowerCase();
  return lower === "/" || lower === CONSOLE_PREFIX || lower.startsWith(`${CONSOLE_PREFIX}/`);
}
