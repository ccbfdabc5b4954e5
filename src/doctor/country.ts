/** Checks what the shop's country asks for (docs/countries.md, docs/decisions/0033-encrypted-packages.md). */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { countryOf, proofOf } from "../fiscal/countries.js";
import { existing } from "../state/disk.js";
import { type Check, ok, warn } from "./check.js";

const SUBJECT = "disk encryption";
const BLOCK_DEVICES = "/sys/dev/block";
/** Layers of devices to search below the first device. We assume that no disk has more. */
const MOST_LAYERS = 8;

/** The line about values of the country without proof. @param code undefined without an environment */
export function checkCountry(code: string | undefined): Check[] {
  if (code === undefined) return [];
  const { proven, text } = proofOf(code);
  return [
    proven
      ? ok("country", text)
      : warn("country", `${text}; compare them with the documents of your tax authority before you sell`),
  ];
}

/** The line about encryption of the disk with the receipts; none in a country that does not ask for it. */
export function checkEncryption(
  code: string | undefined,
  dataDir: string,
  platform: NodeJS.Platform = process.platform,
  devices: string = BLOCK_DEVICES,
): Check[] {
  const country = code === undefined ? undefined : countryOf(code);
  if (country?.encryptedPackages?.value !== true) return [];
  const asks = `${country.name} asks for encryption on this machine`;
  if (platform !== "linux")
    return [warn(SUBJECT, `${asks}, and the doctor cannot see it here: check BitLocker with manage-bde -status`)];
  if (isEncrypted(join(devices, numberOf(statSync(existing(dataDir)).dev))))
    return [ok(SUBJECT, `${dataDir} is on an encrypted disk`)];
  return [warn(SUBJECT, `${asks}, and ${dataDir} is not on an encrypted disk: see docs/shop.md, "Encrypt the disk"`)];
}

/** Name of a device in sysfs: its major and minor number, such as `254:0`. @param dev st_dev (glibc's makedev) */
function numberOf(dev: number): string {
  const number = BigInt(dev);
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & 0xfffff000n);
  const minor = (number & 0xffn) | ((number >> 12n) & 0xffffff00n);
  return `${major}:${minor}`;
}

/** Whether a device, or a device below it, is LUKS or another dm-crypt. */
function isEncrypted(device: string, layers = MOST_LAYERS): boolean {
  const uuid = join(device, "dm", "uuid");
  if (existsSync(uuid) && readFileSync(uuid, "utf8").startsWith("CRYPT-")) return true;
  const below = join(device, "slaves");
  if (layers === 0 || !existsSync(below)) return false;
  return readdirSync(below).some((name) => isEncrypted(join(below, name), layers - 1));
}
