/** Random bytes from a seed: the same card, keys and signatures every time. */
import { hash } from "node:crypto";
import { type Random, systemRandom } from "../src/random.js";

const SEED_BYTES = 16;
/** Of SHA-256. */
const BLOCK_BYTES = 32;

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
    if (this.pool.length < count) this.pool = Buffer.concat([this.pool, ...this.blocks(count - this.pool.length)]);
    const taken = this.pool.subarray(0, count);
    this.pool = this.pool.subarray(count);
    return taken;
  }

  /** Of so many bytes, or more. */
  private blocks(count: number): Buffer[] {
    const { seed } = this;
    return Array.from({ length: Math.ceil(count / BLOCK_BYTES) }, () =>
      hash("sha256", `${seed}\0${this.counter++}`, "buffer"),
    );
  }
}
