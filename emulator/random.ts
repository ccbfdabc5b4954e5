/** Random bytes from a seed: the same card, keys and signatures every time. */
import { createHash } from "node:crypto";
import { type Random, systemRandom } from "../src/random.js";

const SEED_BYTES = 16;

/** For a run that need not be like any other. */
export function newSeed(): string {
  return Buffer.from(systemRandom.bytes(SEED_BYTES)).toString("hex");
}

/** SHA-256 in counter mode over a seed. For tests and samples, never for a secret. */
export class SeededRandom implements Random {
  private counter = 0;
  private pool: Buffer = Buffer.alloc(0);

  constructor(private readonly seed: string) {}

  bytes(count: number): Uint8Array {
    while (this.pool.length < count) {
      const block = createHash("sha256")
        .update(`${this.seed}\0${this.counter++}`)
        .digest();
      this.pool = Buffer.concat([this.pool, block]);
    }
    const taken = this.pool.subarray(0, count);
    this.pool = this.pool.subarray(count);
    return taken;
  }
}
