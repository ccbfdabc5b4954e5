/** Recognises the console's own requests. */
/** All paths of the console except `/` begin with this prefix. */
export const CONSOLE_PREFIX = "/console";

/**
 * Whether a stop of the service waits for the answer. It does not wait for requests of a console: a console reconnects
 * by itself, and people can request an export again.
 */
export function isAwaitedByStop({ url = "" }: { readonly url?: string | undefined }): boolean {
  return !isConsolePath(url.split("?")[0] ?? "");
}

/** Whether a path belongs to the console. Requests of the console are not POS traffic. */
export function isConsolePath(path: string): boolean {
  // Express ignores the case of paths.
  const lower = path.toLowerCase();
  return lower === "/" || lower === CONSOLE_PREFIX || lower.startsWith(`${CONSOLE_PREFIX}/`);
}
