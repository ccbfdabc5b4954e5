/** Measures the difference between this machine's clock and a time server's clock. */

import type { Clock } from "../base/clock.js";
import type { EpochMs } from "../base/epoch-ms.js";
import { timeServerOf } from "../fiscal/time-server.js";
import { sntpTime } from "./sntp.js";

/**
 * Asks a time server.
 * @param port default: 123.
 * @throws Error if the server gives no usable answer
 */
export type AskTime = (host: string, port?: number) => Promise<EpochMs>;

/**
 * @param server in any form of `timeServerOf`
 * @returns ms by which this machine's clock is ahead; negative if it is behind
 * @throws Error that says why the server cannot be asked
 */
export async function measureDrift(server: string, clock: Clock, ask: AskTime = sntpTime): Promise<number> {
  const address = timeServerOf(server);
  if (!address) throw new Error("it is not the address of a time server");
  const before = clock.now();
  const theirs = await ask(address.host, address.port);
  // Assume that request and answer take equally long.
  return Math.round((before + clock.now()) / 2 - theirs);
}
