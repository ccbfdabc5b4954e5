/** The keys of the emulated authority and of the emulated cards: a folder of PEM files. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { writePrivate } from "../../src/base/private-file.js";
import { readText } from "../../src/base/read-text.js";
import { issuerOf, makeAuthorityCertificate, TEST_NOTICE } from "./x509.js";

/** Folder with the keys in the package. These keys are public. */
export const FIXTURE_KEYS = join(PACKAGE_ROOT, "fixtures", "keys");

/** Every key of the emulator is RSA-2048, like those of real cards (protocol facts, section 2). */
const KEY_BITS = 2048;

const ROOT = "test-tax-authority-root";
const ISSUING = "test-issuing-ca";
const AUTHORITY = "test-tax-authority";
const CARD = "test-card";

export interface EmulatedKeys {
  /** PEM certificates that prove a card's certificate: those of the issuing authority and of the root authority. */
  readonly cardIssuers: readonly string[];
  /** PEM. */
  readonly issuing: { readonly certificate: string; readonly privateKey: string };
  /** Key that decrypts the internal data and seals proofs of audit. */
  readonly authorityPrivateKey: KeyObject;
  readonly authorityPublicKey: KeyObject;
  /** PEM of the card's private key. */
  readonly cardKey: string;
}

function pemFile(folder: string, name: string, kind: "key" | "crt"): string {
  return join(folder, `${name}.${kind}.pem`);
}

export function loadKeys(folder: string): EmulatedKeys {
  const read = (name: string, kind: "key" | "crt") => readText(pemFile(folder, name, kind));
  const authority = read(AUTHORITY, "key");
  return {
    cardIssuers: [read(ISSUING, "crt"), read(ROOT, "crt")],
    issuing: {
      certificate: read(ISSUING, "crt"),
      privateKey: read(ISSUING, "key"),
    },
    authorityPrivateKey: createPrivateKey(authority),
    authorityPublicKey: createPublicKey(authority),
    cardKey: read(CARD, "key"),
  };
}

export function makeKeys(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const make = (name: string) => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: KEY_BITS });
    writePem(pemFile(folder, name, "key"), privateKey.export({ format: "pem", type: "pkcs1" }).toString());
    return privateKey;
  };
  const [rootKey, issuingKey] = [make(ROOT), make(ISSUING)];
  make(AUTHORITY);
  make(CARD);
  const validity = { validFrom: new Date("2015-01-01T00:00:00Z"), validTo: new Date("2049-12-31T23:59:59Z") };
  const root = makeAuthorityCertificate("tillseal test root", rootKey, validity);
  const issuing = makeAuthorityCertificate("tillseal test issuing CA", issuingKey, validity, issuerOf(root, rootKey));
  writePem(pemFile(folder, ROOT, "crt"), root.toString());
  writePem(pemFile(folder, ISSUING, "crt"), issuing.toString());
}

function writePem(file: string, pem: string): void {
  // The notice may precede the PEM block, because readers ignore text outside of it (RFC 7468, section 2).
  writePrivate(file, `${TEST_NOTICE}\n${pem}`);
}
