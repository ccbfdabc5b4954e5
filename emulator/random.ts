/** Random bytes from a seed: the same card, keys and signatures every time. */
import { createHash } from "node:crypto";
import type { Random } from "../src/random.js";

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
