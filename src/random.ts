/** Chance, injected: tests and the emulator bring a seed instead. */
import { randomBytes } from "node:crypto";

export interface Random {
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = { bytes: (count) => randomBytes(count) };
