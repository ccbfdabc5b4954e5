/** Source of random bytes. Callers get it as a parameter, because tests and the emulator use a seed. */
import { randomBytes } from "node:crypto";

export interface Random {
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = { bytes: (count) => randomBytes(count) };
