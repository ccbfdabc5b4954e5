/** Compares this machine's clock with that of a time server, in one SNTP exchange (RFC 4330). */
import { createSocket } from "node:dgram";
import type { Clock } from "../base/clock.js";
import type { EpochMs } from "../base/epoch-ms.js";
import { timeServerOf } from "../fiscal/time-server.js";

const PORT = 123;
const PACKET_BYTES = 48;
/** First byte of a request: leap indicator 0, version 4, mode 3 (client). */
const CLIENT_REQUEST = 0x23;
const TRANSMIT_TIME_OFFSET = 40;
/** Seconds from 1900, where NTP begins, to 1970. */
const EPOCH_OFFSET = 2_208_988_800;
const ANSWER_LIMIT_MS = 3_000;

/**
 * The server's time.
 * @throws Error if the server does not answer within 3 s, or its answer is too short; the system's error if it cannot
 * be asked
 */
export function sntpTime(host: string, port = PORT): Promise<EpochMs> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    const timer = setTimeout(() => end(new Error(`${host} does not answer`)), ANSWER_LIMIT_MS);
    let isOver = false;
    const end = (result: Error | number) => {
      // A name server may answer after the time limit, and a closed socket throws when it is closed again.
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      socket.close();
      if (typeof result === "number") resolve(result);
      else reject(result);
    };
    socket.on("error", end);
    socket.once("message", (packet) => {
      if (packet.length < PACKET_BYTES) return end(new Error(`${host} does not speak NTP`));
      const seconds = packet.readUInt32BE(TRANSMIT_TIME_OFFSET) - EPOCH_OFFSET;
      const fraction = packet.readUInt32BE(TRANSMIT_TIME_OFFSET + 4) / 2 ** 32;
      end(Math.round((seconds + fraction) * 1000));
    });
    const request = Buffer.alloc(PACKET_BYTES);
    request[0] = CLIENT_REQUEST;
    socket.send(request, port, host, (error) => {
      if (error) end(error);
    });
  });
}

export type AskTime = typeof sntpTime;

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
