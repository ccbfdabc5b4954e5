/** RSA keys that follow from a seed. */
import { createPublicKey, sign, verify } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SeededRandom } from "../../emulator/pki/random.js";
import { seededKey } from "../../emulator/pki/seeded-key.js";
import { temporaryFolder } from "../support/folder.js";
import { openssl } from "../support/openssl.js";

const pemOf = (seed: string) =>
  seededKey(new SeededRandom(seed), 2048).export({ format: "pem", type: "pkcs1" }).toString();

it("a seed makes the same key from the same seed, and another one from another seed", () => {
  expect(pemOf("one")).toBe(pemOf("one"));
  expect(pemOf("one")).not.toBe(pemOf("two"));
});

it("a seed makes keys of 2048 bits that openssl finds consistent, and that sign", () => {
  for (const seed of ["a", "b", "c", "d"]) {
    const key = seededKey(new SeededRandom(seed), 2048);
    expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048, publicExponent: 65537n });
    const file = join(temporaryFolder(), "key.pem");
    writeFileSync(file, pemOf(seed));
    expect(openssl("rsa", "-check", "-noout", "-in", file)).toContain("RSA key ok");
    const data = Buffer.from(seed);
    expect(verify("sha256", data, createPublicKey(key), sign("sha256", data, key))).toBe(true);
  }
});
