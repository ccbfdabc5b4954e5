/**
 * Describes the device that the status and an invoice's `mrc` name. Its serial number, which is the last part of `mrc`
 * on every receipt, is made once for a data folder and kept there. A folder that has receipts keeps the number on them,
 * because a device does not change its number.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../base/random.js";
import { readText } from "../base/read-text.js";
import { writeDurably } from "../base/write-durably.js";
import type { Receipts } from "../ledger/receipts.js";
import type { ServiceParts } from "./service-parts.js";

/** The serial number with temporary data. It is the same in every run. */
export const TEMPORARY_SERIAL_NUMBER = "TS-00000001";

const SERIAL_NUMBER_FILE = "tillseal.serial";

/** Digits, and letters without I, L, O and U: people read the number out on the telephone and could confuse those. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH = 8;

const MODEL = "tillseal";

export interface Device {
  readonly make: string;
  readonly model: string;
  readonly serialNumber: string;
  readonly mrc: string;
}

export function deviceOf({ settings, random }: Pick<ServiceParts, "settings" | "random">, receipts: Receipts): Device {
  const { dataDir, deviceSerialNumber, deviceMake: make, makerCodes } = settings;
  // The two codes that the authority has assigned to the maker (protocol facts, section 11, "Maker codes").
  const prefix = `${makerCodes ?? `${make}-${MODEL}`}-`;
  const installed = () =>
    dataDir === undefined ? TEMPORARY_SERIAL_NUMBER : installedSerialNumber(dataDir, receipts, prefix, random);
  const serialNumber = deviceSerialNumber ?? installed();
  return { make, model: MODEL, serialNumber, mrc: prefix + serialNumber };
}

/** The serial number of a data folder. Only one process may use the folder at a time. */
function installedSerialNumber(dataDir: string, receipts: Receipts, prefix: string, random: Random): string {
  const file = join(dataDir, SERIAL_NUMBER_FILE);
  const kept = existsSync(file) ? readText(file).trim() : "";
  if (kept !== "") return kept;
  // The alphabet has 32 characters, and the lowest five bits of a byte choose one, so all are equally likely.
  const newNumber = () => Array.from(random.bytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
  const mrc = receipts.lastMrc() ?? "";
  const printed = mrc.startsWith(prefix) ? mrc.slice(prefix.length) : /TS-\w{8}$/.exec(mrc)?.[0];
  const made = printed ?? `TS-${newNumber()}`;
  writeDurably(file, `${made}\n`);
  return made;
}
