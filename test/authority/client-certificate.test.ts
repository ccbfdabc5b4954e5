/** Certificates and keys in the forms in which authorities issue them, made by openssl. */
import { createPrivateKey } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import {
  type CertificateFiles,
  readCertificates,
  readClientCertificate,
} from "../../src/authority/client-certificate.js";
import { ConfigError } from "../../src/config/config-error.js";
import { temporaryFolder } from "../support/folder.js";
import { type KeyPair, openssl, TestCa } from "../support/openssl.js";
import { sharedFolder } from "../support/shared-folder.js";

const PASSPHRASE = "tajna 123";
const UID = "ABCDEFGH";

const folder = sharedFolder();
let ca: TestCa;
let pair: KeyPair;
let ecPair: KeyPair;

beforeAll(() => {
  ca = new TestCa(folder);
  const subject = `/O=Prodavnica/CN=shop/serialNumber=${UID}`;
  pair = ca.issue("rsa", { subject, rsa: true });
  ecPair = ca.issue("ec", { subject });
});

function passphraseFile(content: string): string {
  const file = join(temporaryFolder(), "passphrase");
  writeFileSync(file, content);
  return file;
}

interface Pfx {
  readonly of?: KeyPair;
  readonly passphrase?: string;
  readonly args?: readonly string[];
}

function pfx({ of = pair, passphrase = PASSPHRASE, args = [] }: Pfx = {}): string {
  const file = join(temporaryFolder(), "shop.pfx");
  const content = ["-inkey", of.key, "-in", of.certificate, "-certfile", ca.certificate];
  openssl("pkcs12", "-export", ...content, "-passout", `pass:${passphrase}`, ...args, "-out", file);
  return file;
}

const publicKeyOf = (key: Parameters<typeof createPrivateKey>[0]) =>
  createPrivateKey(key).export({ type: "pkcs8", format: "der" }).toString("hex");

/** Expects the pair that openssl made. */
function expectPair(files: CertificateFiles, of = pair): void {
  const { chain, privateKey, uid, validFrom, validTo } = readClientCertificate(files);
  expect(publicKeyOf(readFileSync(of.key))).toBe(privateKey.export({ type: "pkcs8", format: "der" }).toString("hex"));
  expect(chain.startsWith(readFileSync(of.certificate, "utf8").trim())).toBe(true);
  expect(uid).toBe(UID);
  expect(validTo - validFrom).toBe(30 * 86_400_000);
}

/** The error, which names the file and holds no secret. */
function problem(files: CertificateFiles): string {
  try {
    readClientCertificate(files);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message } = error as ConfigError;
    expect(message).not.toContain(PASSPHRASE);
    return message;
  }
  return "nothing";
}

const FORMS: Record<string, Pfx> = {
  "of OpenSSL 3": {},
  "of older programs, with RC2 and 3DES": { args: ["-legacy"] },
  "with 3DES for both": { args: ["-legacy", "-certpbe", "PBE-SHA1-3DES"] },
  "with a MAC of SHA-512": { args: ["-macalg", "sha512"] },
  "without MAC": { args: ["-nomac"] },
  "with an unencrypted certificate": { args: ["-certpbe", "NONE"] },
  "with an empty passphrase": { passphrase: "" },
  "of older programs, with an empty passphrase": { passphrase: "", args: ["-legacy"] },
  "with letters beyond ASCII in the passphrase": { passphrase: "šifra €" },
  "of older programs, with such letters": { passphrase: "šifra €", args: ["-legacy"] },
};

it.each(Object.keys(FORMS))("a PFX file is accepted: %s", (form) => {
  const made = FORMS[form] ?? {};
  const file = passphraseFile(made.passphrase ?? PASSPHRASE);
  expectPair({ certificate: pfx(made), passphraseFile: file });
});

it.each<[string, string[]]>([
  ["for its keys", ["-nomac"]],
  ["for its keys and its MAC", []],
  ["with the ciphers of older programs", ["-legacy"]],
])("a PFX file that asks for millions of iterations %s is refused before any of them", (_what, args) => {
  const file = pfx({ args: ["-iter", "100000", ...args] });
  const bytes = readFileSync(file).toString("latin1");
  const asked = "\x02\x03\x01\x86\xa0";
  expect(bytes).toContain(asked);
  writeFileSync(file, Buffer.from(bytes.replaceAll(asked, "\x02\x03\x7f\xff\xff"), "latin1"));
  expect(problem({ certificate: file, passphraseFile: passphraseFile(PASSPHRASE) })).toMatch(
    /: it asks for \d+ iterations, and this service does at most 100000: .* openssl pkcs12 -export -iter 2048$/,
  );
});

it("a PFX file may have a key on an elliptic curve", () => {
  expectPair({ certificate: pfx({ of: ecPair }), passphraseFile: passphraseFile(PASSPHRASE) }, ecPair);
});

it("a PFX file provides the issuer's certificate", () => {
  const { chain } = readClientCertificate({ certificate: pfx(), passphraseFile: passphraseFile(PASSPHRASE) });
  expect(chain.trim().endsWith(ca.pem.trim())).toBe(true);
});

it.each(["\n", "\r\n", "\nsecond line\n"])("a PFX file uses the passphrase file's first line (then %j)", (end) => {
  expectPair({ certificate: pfx(), passphraseFile: passphraseFile(`${PASSPHRASE}${end}`) });
});

it.each([
  ["modern", []],
  ["old", ["-legacy"]],
  ["without MAC", ["-nomac"]],
])("a PFX file with a wrong passphrase is refused with advice: %s", (_case, args) => {
  const file = pfx({ args });
  for (const wrong of ["wrong", "", "grešna"]) {
    const message = problem({ certificate: file, passphraseFile: passphraseFile(wrong) });
    expect(message).toBe(
      `${file}: the passphrase is wrong; correct the first line of the file that authorityPassphraseFile names`,
    );
  }
  expect(problem({ certificate: file })).toContain("needs a passphrase; write it into a file");
});

it("a PFX file without a key is refused", () => {
  const file = pfx({ args: ["-nokeys"] });
  expect(problem({ certificate: file, passphraseFile: passphraseFile(PASSPHRASE) })).toMatch(/contains no private key/);
});

it.each([
  ["cut off", (bytes: Buffer) => bytes.subarray(0, 200)],
  ["empty", () => Buffer.alloc(0)],
  ["another kind of file", () => Buffer.from("PK\u0003\u0004 a zip file")],
  ["nested without end", () => Buffer.alloc(5_000, 0x30)],
])("a PFX file that is damaged is reported with its name: %s", (_case, damage) => {
  const file = pfx();
  writeFileSync(file, damage(readFileSync(file)));
  const message = problem({ certificate: file, passphraseFile: passphraseFile(PASSPHRASE) });
  expect(message).toContain(`${file}: is neither PEM nor a readable PFX file: `);
  expect(message.split("\n")).toHaveLength(1);
});

const pemFile = (...parts: readonly string[]) => {
  const file = join(temporaryFolder(), "shop.pem");
  writeFileSync(file, parts.map((part) => readFileSync(part, "utf8")).join("\n"));
  return file;
};
const encrypted = (...args: readonly string[]) => {
  const file = join(temporaryFolder(), "key.pem");
  openssl("pkcs8", "-topk8", "-in", pair.key, "-out", file, "-passout", `pass:${PASSPHRASE}`, ...args);
  return file;
};

it("PEM files are accepted: certificate and key in two files", () => {
  expectPair({ certificate: pair.certificate, key: pair.key });
});

it("PEM files are accepted: both in one file, after the issuer", () => {
  const file = pemFile(ca.certificate, pair.key, pair.certificate);
  expectPair({ certificate: file });
  expect(readClientCertificate({ certificate: file }).chain).toContain(ca.pem.trim());
});

it("PEM files are accepted: the certificate in DER", () => {
  const file = join(temporaryFolder(), "shop.cer");
  openssl("x509", "-in", pair.certificate, "-outform", "DER", "-out", file);
  expectPair({ certificate: file, key: pair.key });
});

it("PEM files are accepted: a key in the older format", () => {
  const file = join(temporaryFolder(), "key.pem");
  openssl("rsa", "-traditional", "-in", pair.key, "-out", file);
  expect(readFileSync(file, "utf8")).toContain("BEGIN RSA PRIVATE KEY");
  expectPair({ certificate: pair.certificate, key: file });
});

it.each([[[]], [["-v1", "PBE-SHA1-3DES"]]])("PEM files are accepted: an encrypted key %j", (args) => {
  const files = { certificate: pair.certificate, key: encrypted(...args) };
  expectPair({ ...files, passphraseFile: passphraseFile(PASSPHRASE) });
  expect(problem(files)).toBe(
    `${files.key}: needs a passphrase; write it into a file and name that file (authorityPassphraseFile)`,
  );
  const wrong = problem({ ...files, passphraseFile: passphraseFile("wrong") });
  expect(wrong).toContain(`${files.key}: the passphrase is wrong`);
});

it("PEM files report a key whose encryption OpenSSL 3 no longer supports", () => {
  const key = encrypted("-v1", "PBE-SHA1-RC2-40", "-provider", "default", "-provider", "legacy");
  const message = problem({ certificate: pair.certificate, key, passphraseFile: passphraseFile(PASSPHRASE) });
  expect(message).toContain(`${key}: the encryption of the private key is too old for OpenSSL 3`);
});

it("PEM files of two pairs are refused, and the error names the files", () => {
  const message = problem({ certificate: pair.certificate, key: ecPair.key });
  expect(message).toBe(
    `${ecPair.key}: the private key does not belong to the certificate in ${pair.certificate}; name a matching pair`,
  );
});

it("PEM files without a key are refused with a hint where one may be", () => {
  expect(problem({ certificate: pair.certificate })).toMatch(/contains no private key; name the file .*authorityKey/);
  expect(problem({ certificate: pair.certificate, key: ca.certificate })).toMatch(
    /ca.crt: contains no private key; name another/,
  );
});

it("PEM files without a certificate are refused", () => {
  expect(problem({ certificate: pair.key })).toBe(`${pair.key}: holds no certificate`);
});

it("PEM files that are damaged are reported with their names", () => {
  const file = join(temporaryFolder(), "shop.pem");
  writeFileSync(file, readFileSync(pair.certificate, "utf8").replace(/^MII/m, "MIJ"));
  expect(problem({ certificate: file, key: pair.key })).toContain(`${file}: the certificate cannot be read`);
  writeFileSync(file, readFileSync(pair.key, "utf8").replace(/^MII/m, "MIJ"));
  expect(problem({ certificate: pair.certificate, key: file })).toContain(`${file}: the private key cannot be`);
});

it("PEM files that are missing are reported with their names", () => {
  const missing = join(temporaryFolder(), "missing");
  for (const files of [
    { certificate: missing },
    { certificate: pair.certificate, key: missing },
    { certificate: pair.certificate, key: pair.key, passphraseFile: missing },
  ]) {
    expect(problem(files)).toBe(`${missing}: cannot be read: the file does not exist`);
  }
});

it("the authority's CA is read with all its certificates, in PEM or DER", () => {
  const file = join(temporaryFolder(), "ca.pem");
  writeFileSync(file, `# both\n${ca.pem}${readFileSync(pair.certificate, "utf8")}`);
  expect(readCertificates(file).match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  openssl("x509", "-in", ca.certificate, "-outform", "DER", "-out", file);
  expect(readCertificates(file).trim()).toBe(ca.pem.trim());
});

it("the authority's CA is refused when it holds no certificate", () => {
  expect(() => readCertificates(pair.key)).toThrow(`${pair.key}: holds no certificate`);
});
