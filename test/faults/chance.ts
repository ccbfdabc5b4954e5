/** What a run decides by chance, from the printed seed. */
import { SeededRandom } from "../../emulator/random.js";

export class Chance {
  private readonly random: SeededRandom;

  constructor(seed: string) {
    this.random = new SeededRandom(seed);
  }

  /** An integer from `least` to `most`. */
  between(least: number, most: number): number {
    const word = Buffer.from(this.random.bytes(4)).readUInt32BE(0);
    return least + (word % (most - least + 1));
  }

  /** True in one of `n` cases. */
  oneIn(n: number): boolean {
    return this.between(1, n) === 1;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.between(0, list.length - 1)];
    if (picked === undefined) throw new RangeError("nothing to pick from");
    return picked;
  }
}
