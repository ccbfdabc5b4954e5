/** Random decisions of a run from the printed seed: fast, and not for secrets. */
import { createHash } from "node:crypto";

export class Chance {
  private state: number;

  constructor(seed: string) {
    this.state = createHash("sha256").update(seed).digest().readUInt32BE(0);
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  oneIn(n: number): boolean {
    return this.between(1, n) === 1;
  }

  pick<T>(list: readonly T[]): T {
    const at = this.between(0, list.length - 1);
    if (at >= list.length) throw new RangeError("nothing to pick from");
    return list[at] as T;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.between(0, 255)));
  }

  /** 0 to 1; mulberry32. */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
