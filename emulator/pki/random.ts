/** Random bytes from a seed: the same seed gives the same cards, keys and signatures. */
import { hash } from "node:crypto";
import { type Random, systemRandom } from "../../src/base/random.js";

const SEED_BYTES = 16;
/** Length of a SHA-256 in bytes. */
const BLOCK_BYTES = 32;

/** A new seed, for runs that need not be reproducible. */
export function newSeed(): string {
  return Buffer.from(systemRandom.bytes(SEED_BYTES)).toString("hex");
}

/** SHA-256 in counter mode over a seed. For tests and samples, never for a secret. */
export class SeededRandom implements Random {
  private counter = 0;
  private pool: Buffer = Buffer.alloc(0);

  constructor(private readonly seed: string) {}

  bytes(count: number): Uint8Array {
    if (this.pool.length < count) this.pool = Buffer.concat([this.pool, ...this.blocks(count - this.pool.length)]);
    const taken = this.pool.subarray(0, count);
    this.pool = this.pool.subarray(count);
    return taken;
  }

  /** Blocks with at least `count` bytes in total. */
  private blocks(count: number): Buffer[] {
    const { seed } = this;
    return Array.from({ length: Math.ceil(count / BLOCK_BYTES) }, () =>
      hash("sha256", `${seed}\0${this.counter++}`, "buffer"),
    );
  }
}
