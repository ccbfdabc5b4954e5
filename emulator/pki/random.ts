/** Random bytes from a seed: the same seed gives the same cards, keys and signatures. */
import { createHash } from "node:crypto";
import { type Random, systemRandom } from "../../src/base/random.js";

const SEED_BYTES = 16;
/** Bytes of one hash, enough for five sales. One large hash costs less than many small ones. */
const BLOCK_BYTES = 1024;

export function newSeed(): string {
  return Buffer.from(systemRandom.bytes(SEED_BYTES)).toString("hex");
}

/** Makes random bytes with SHAKE256 over a seed and a counter. Use it for tests and samples, never for a secret. */
export class SeededRandom implements Random {
  private counter = 0;
  private pool: Buffer = Buffer.alloc(0);

  constructor(private readonly seed: string) {}

  bytes(count: number): Uint8Array {
    while (this.pool.length < count) {
      const hash = createHash("shake256", { outputLength: BLOCK_BYTES }).update(`${this.seed}\0${this.counter++}`);
      this.pool = Buffer.concat([this.pool, hash.digest()]);
    }
    const taken = this.pool.subarray(0, count);
    this.pool = this.pool.subarray(count);
    return taken;
  }
}
