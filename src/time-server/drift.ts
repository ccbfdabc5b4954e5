/** How far this machine's clock is from the time server's. */
import type { Clock } from "../clock.js";
import { sntpTime } from "./sntp.js";

/** The time of a time server: ms since the epoch. @param port default: 123. @throws Error where it does not answer */
export type AskTime = (host: string, port?: number) => Promise<number>;

/**
 * @param server address with the scheme `ntp`
 * @returns ms by which the clock is ahead; negative where it is behind
 * @throws Error which says why the server cannot be asked
 */
export async function measureDrift(server: string, clock: Clock, ask: AskTime = sntpTime): Promise<number> {
  const url = new URL(server);
  if (url.protocol !== "ntp:") throw new Error("it is not an ntp:// address");
  const before = clock.now();
  const theirs = await ask(url.hostname, url.port === "" ? undefined : Number(url.port));
  // What the answer takes is shared between there and back.
  return Math.round((before + clock.now()) / 2 - theirs);
}
