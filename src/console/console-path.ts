/** Which requests are the console's own. */
import { CONSOLE_PREFIX } from "./endpoints.js";

/** Requests of the console itself are no traffic of a till. */
export function isConsolePath(path: string): boolean {
  // Express reads /CONSOLE the same.
  const lower = path.toLowerCase();
  return lower === "/" || lower === CONSOLE_PREFIX || lower.startsWith(`${CONSOLE_PREFIX}/`);
}
