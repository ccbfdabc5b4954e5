/** What the doctor says about the country's values. */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkCountry, checkEncryption } from "../../src/doctor/country.js";
import { temporaryFolder } from "../support/folder.js";

it("the doctor is content with Serbia, and warns about a country with values without proof", () => {
  expect(checkCountry("RS")).toEqual([
    { subject: "country", verdict: "ok", message: "Serbia: every value has a source" },
  ]);
  expect(checkCountry("FJ")).toMatchObject([
    { subject: "country", verdict: "warn", message: expect.stringMatching(/^Fiji is a preview; unproven: .* compare/) },
  ]);
  expect(checkCountry("XX")).toMatchObject([{ verdict: "warn" }]);
});

it("the doctor says nothing without an environment", () => {
  expect(checkCountry(undefined)).toEqual([]);
});

/** A folder as /sys/dev/block, with the device of a data folder. @param uuid of the device, or of one below it */
function devicesWith(dataDir: string, uuid: { readonly own?: string; readonly below?: string }): string {
  const { dev } = statSync(dataDir);
  const name = `${(BigInt(dev) >> 8n) & 0xfffn}:${(BigInt(dev) & 0xffn) | ((BigInt(dev) >> 12n) & 0xffffff00n)}`;
  const devices = temporaryFolder();
  const device = join(devices, name);
  for (const [folder, text] of [
    [join(device, "dm"), uuid.own],
    [join(device, "slaves", "dm-1", "dm"), uuid.below],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    if (text !== undefined) writeFileSync(join(folder, "uuid"), `${text}\n`);
  }
  return devices;
}

it.each([
  [{ own: "CRYPT-LUKS2-5d1c-tillseal" }, "ok"],
  [{ own: "LVM-abc", below: "CRYPT-LUKS2-5d1c-tillseal" }, "ok"],
  [{ own: "LVM-abc" }, "warn"],
  [{}, "warn"],
])("the encryption of the disk is looked up where the country asks for it: %j is %s", (uuid, verdict) => {
  const dataDir = temporaryFolder();
  expect(checkEncryption("FJ", dataDir, "linux", devicesWith(dataDir, uuid))).toMatchObject([{ verdict }]);
});

it("the encryption of the disk cannot be seen on Windows, and has no line in other countries", () => {
  expect(checkEncryption("FJ", temporaryFolder(), "win32")).toMatchObject([
    { verdict: "warn", message: expect.stringContaining("manage-bde") },
  ]);
  expect(checkEncryption("RS", temporaryFolder())).toEqual([]);
  expect(checkEncryption(undefined, temporaryFolder())).toEqual([]);
});
