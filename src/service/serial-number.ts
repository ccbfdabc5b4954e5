/**
 * Makes the serial number of an installation, which is the last part of `mrc` on every receipt. The number is made
 * once for a data folder and kept there. A folder that has receipts keeps the number on them, because a device does
 * not change its number.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../base/random.js";
import { writeDurably } from "../base/write-durably.js";

/** The serial number with temporary data. It is the same in every run. */
export const TEMPORARY_SERIAL_NUMBER = "TS-00000001";

const SERIAL_NUMBER_FILE = "tillseal.serial";

/** Digits, and letters without I, L, O and U: people read the number out on the telephone and could confuse those. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 8;

export interface Maker {
  readonly make: string;
  readonly model: string;
  /** The two codes that the tax authority has assigned to the maker, such as `00-1002`. */
  readonly makerCodes: string | undefined;
}

/** The beginning of `mrc` (protocol facts, section 11, "Maker codes"). */
export function mrcPrefix({ make, model, makerCodes }: Maker): string {
  return makerCodes === undefined ? `${make}-${model}-` : `${makerCodes}-`;
}

/**
 * The serial number of a data folder. Only one process may use the folder at a time.
 * @param lastMrc `mrc` of the newest receipt in the folder's store
 */
export function installedSerialNumber(
  dataDir: string,
  lastMrc: () => string | undefined,
  maker: Maker,
  random: Random,
): string {
  const file = join(dataDir, SERIAL_NUMBER_FILE);
  const kept = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (kept !== "") return kept;
  const made = serialNumberIn(lastMrc() ?? "", maker) ?? newSerialNumber(random);
  writeDurably(file, `${made}\n`);
  return made;
}

/**
 * The serial number in an `mrc`, such as `TS-00000001` in `make-model-TS-00000001`; undefined if it is not certain
 * where the number begins.
 */
function serialNumberIn(mrc: string, maker: Maker): string | undefined {
  const prefix = mrcPrefix(maker);
  return mrc.startsWith(prefix) ? mrc.slice(prefix.length) : /TS-\w{8}$/.exec(mrc)?.[0];
}

function newSerialNumber(random: Random): string {
  // The alphabet has 32 characters, and the lowest five bits of a byte choose one, so all are equally likely.
  const letters = Array.from(random.bytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]);
  return `TS-${letters.join("")}`;
}
