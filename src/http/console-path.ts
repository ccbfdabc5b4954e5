/** All paths of the console except `/` begin with this prefix. */
export const CONSOLE_PREFIX = "/console";

/** Whether a request with this address is one of the console, and no POS traffic. Express ignores the case of paths. */
export function isConsolePath(url: string): boolean {
  return /^\/(console(\/|\?|$)|\?|$)/i.test(url);
}
