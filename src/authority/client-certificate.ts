/** Reads the certificate and key with which the service identifies itself: PEM files, or one PFX file. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { EpochMs } from "../base/epoch-ms.js";
import { messageOf } from "../base/thrown.js";
import { ConfigError } from "../config/config-error.js";
import { readBytes, readText } from "../config/read-file.js";
import { readPfx, WrongPassphrase } from "./pfx.js";

export interface ClientCertificate {
  readonly file: string;
  /** PEM: the certificate, then the certificates of its issuers from the same file. */
  readonly chain: string;
  readonly privateKey: KeyObject;
  /** The card's UID, which is the `serialNumber` of the certificate's subject; undefined if there is none. */
  readonly uid: string | undefined;
  readonly validFrom: EpochMs;
  readonly validTo: EpochMs;
}

export interface CertificateFiles {
  /** PEM, DER or PFX. */
  readonly certificate: string;
  /** PEM; if it is absent, the key is in the file of the certificate. */
  readonly key?: string | undefined;
  /** A file whose first line is the passphrase of the key or of the PFX file. */
  readonly passphraseFile?: string | undefined;
}

/**
 * Reads the files that the settings name. Does not check dates, because a shop must be able to sell when its
 * certificate has expired.
 * @throws ConfigError that names the file, without its content
 */
export function readClientCertificate(files: CertificateFiles): ClientCertificate {
  const { certificate: file, key: keyFile = file, passphraseFile } = files;
  // Only the first line, because editors end a file with a line break.
  const [passphrase] =
    passphraseFile === undefined
      ? []
      : readText(passphraseFile)
          .replace(/^\uFEFF/, "")
          .split(/[\r\n]/, 1);
  const { certificates, keys: keysBeside } = contentOf(file, passphrase);
  const keys = keyFile === file ? keysBeside() : keysIn(keyFile, readText(keyFile), passphrase);
  if (certificates.length === 0) throw new ConfigError(`${file}: holds no certificate`);
  if (keys.length === 0) {
    const advice =
      keyFile === file ? "name the file with the key (authorityKey), or export both into one PFX file" : "name another";
    throw new ConfigError(`${keyFile}: contains no private key; ${advice}`);
  }
  for (const privateKey of keys) {
    const own = certificates.find((certificate) => certificate.checkPrivateKey(privateKey));
    if (!own) continue;
    const chain = pemOf([own, ...certificates.filter((other) => other !== own)]);
    checkUsable(file, chain, privateKey);
    return {
      file,
      chain,
      privateKey,
      uid: /^serialNumber=(.+)$/m.exec(own.subject)?.[1],
      validFrom: Date.parse(own.validFrom),
      validTo: Date.parse(own.validTo),
    };
  }
  const whose = keyFile === file ? "in it" : `in ${file}`;
  throw new ConfigError(
    `${keyFile}: the private key does not belong to the certificate ${whose}; name a matching pair`,
  );
}

/** Checks that TLS can use the certificate and key. OpenSSL refuses keys that are too short by today's standards. */
function checkUsable(file: string, cert: string, privateKey: KeyObject): void {
  try {
    createSecureContext({ cert, key: privateKey.export({ type: "pkcs8", format: "pem" }) });
  } catch (error) {
    throw new ConfigError(`${file}: cannot be used for TLS: ${messageOf(error)}`);
  }
}

/** Returns the certificates in a file, as PEM. @throws ConfigError if there is none */
export function readCertificates(file: string): string {
  const bytes = readBytes(file);
  const certificates = isPem(bytes) ? certificatesIn(file, bytes) : [readX509(file, bytes)];
  if (certificates.length === 0) throw new ConfigError(`${file}: holds no certificate`);
  return pemOf(certificates);
}

/** Reads a file in PEM or DER, or a PFX file. `keys` reads its keys, which may be encrypted and not needed. */
function contentOf(file: string, passphrase: string | undefined) {
  const bytes = readBytes(file);
  if (isPem(bytes)) {
    const keys = () => keysIn(file, bytes.toString("latin1"), passphrase);
    return { certificates: certificatesIn(file, bytes), keys };
  }
  try {
    return { certificates: [new X509Certificate(bytes)], keys: () => [] };
  } catch {
    // The file is not a certificate: try it as a PFX file.
  }
  try {
    const { certificates, privateKeys } = readPfx(bytes, passphrase ?? "");
    return { certificates, keys: () => privateKeys };
  } catch (error) {
    if (error instanceof WrongPassphrase) {
      throw passphrase === undefined ? passphraseNeeded(file) : wrongPassphrase(file);
    }
    throw new ConfigError(`${file}: is neither PEM nor a readable PFX file: ${messageOf(error)}`);
  }
}

function isPem(bytes: Buffer): boolean {
  return bytes.includes("-----BEGIN ");
}

function certificatesIn(file: string, pem: Buffer): X509Certificate[] {
  const blocks = pem.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => readX509(file, block));
}

function pemOf(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString()).join("");
}

function readX509(file: string, content: string | Uint8Array): X509Certificate {
  try {
    return new X509Certificate(content);
  } catch {
    throw new ConfigError(`${file}: the certificate cannot be read; copy the file again`);
  }
}

function keysIn(file: string, text: string, passphrase: string | undefined): KeyObject[] {
  return [...text.matchAll(/-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----[\s\S]+?-----END \1-----/g)].map(([block]) =>
    readKey(file, block, passphrase),
  );
}

function readKey(file: string, key: string, passphrase: string | undefined): KeyObject {
  const encrypted = /ENCRYPTED/.test(key);
  if (encrypted && passphrase === undefined) throw passphraseNeeded(file);
  try {
    // Without a passphrase OpenSSL would ask for one at the terminal.
    return createPrivateKey({ key, passphrase: passphrase ?? "" });
  } catch (error) {
    if (!encrypted) throw new ConfigError(`${file}: the private key cannot be read; copy the file again`);
    if (!/unsupported/i.test(messageOf(error))) throw wrongPassphrase(file);
    throw new ConfigError(
      `${file}: the encryption of the private key is too old for OpenSSL 3; encrypt the key again, for example with AES`,
    );
  }
}

const passphraseNeeded = (file: string) =>
  new ConfigError(`${file}: needs a passphrase; write it into a file and name that file (authorityPassphraseFile)`);

const wrongPassphrase = (file: string) =>
  new ConfigError(
    `${file}: the passphrase is wrong; correct the first line of the file that authorityPassphraseFile names`,
  );
