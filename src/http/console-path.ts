/** Recognises the console's own requests. */
/** All paths of the console except `/` begin with this prefix. */
export const CONSOLE_PREFIX = "/console";

/** Whether a path belongs to the console. Requests of the console are not POS traffic. */
export function isConsolePath(path: string): boolean {
  // Express ignores the case of paths.
  const lower = path.toLowerCase();
  return lower === "/" || lower === CONSOLE_PREFIX || lower.startsWith(`${CONSOLE_PREFIX}/`);
}
