/** Keeps in a file of the data folder how many PINs each card has refused. The file has no PIN and no hash of one. */
import { join } from "node:path";
import type { Logger } from "pino";
import { readText } from "../base/read-text.js";
import { codeOf } from "../base/thrown.js";
import { writeDurably } from "../base/write-durably.js";
import type { RefusalCount } from "../secure-element/pin-guard.js";

const PIN_REFUSALS_FILE = "tillseal.pin-refusals";

export class PinRefusals implements RefusalCount {
  private readonly counts: Map<string, number>;
  private readonly file: string;

  constructor(
    folder: string,
    private readonly log: Logger,
  ) {
    this.file = join(folder, PIN_REFUSALS_FILE);
    this.counts = new Map(this.stored());
  }

  of(uid: string): number {
    return this.counts.get(uid) ?? 0;
  }

  /** Does not write an unchanged number, so a card that accepts its PIN at every start costs no write. */
  set(uid: string, refusals: number): void {
    if (refusals === this.of(uid)) return;
    this.counts.set(uid, refusals);
    try {
      writeDurably(this.file, `${JSON.stringify(Object.fromEntries(this.counts))}\n`);
    } catch (error) {
      this.log.warn({ err: error }, "the number of refused PINs could not be stored; it is lost when the service ends");
    }
  }

  private stored(): [string, number][] {
    try {
      const content = JSON.parse(readText(this.file)) as object;
      return Object.entries(content).filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") this.log.warn({ err: error }, `${this.file} cannot be read; it begins anew`);
      return [];
    }
  }
}
