/** Recognises the console's own requests. */
/** All addresses of the console begin with this. */
export const CONSOLE_PREFIX = "/console";

/** Requests of the console are not POS traffic. */
export function isConsolePath(path: string): boolean {
  // Express ignores the case of paths.
  const lower = path.toLowerCase();
  return lower === "/" || lower === CONSOLE_PREFIX || lower.startsWith(`${CONSOLE_PREFIX}/`);
}
