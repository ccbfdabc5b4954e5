/**
 * The TLS identities of the authority and its clients. Each installation makes a certificate authority (CA) for itself.
 * If the CA's key were in the package, everyone who has the package could make certificates that this machine trusts.
 */
import {
  createPrivateKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyPairKeyObjectResult as KeyPair,
  X509Certificate,
} from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Random, systemRandom } from "../../src/base/random.js";
import { readText } from "../../src/base/read-text.js";
import { writeDurably } from "../../src/base/write-durably.js";
import { makeServerCertificate, makeTlsClientCertificate } from "../pki/certificates.js";
import { type Issuer, issuerOf, makeAuthorityCertificate } from "../pki/x509.js";

/** Validity of every TLS certificate. It includes all times to which tests set a clock. */
const TLS_VALIDITY = { validFrom: new Date("2015-01-01T00:00:00Z"), validTo: new Date("2049-12-31T23:59:59Z") };
const SERIAL_BYTES = 15;
const OWN_NAMES = ["localhost", "127.0.0.1", "::1"];

/** File in the data folder with the certificate that clients must trust. */
export const CA_CERTIFICATE_FILE = "ca.crt.pem";

/** A certificate with its private key, both PEM. */
export interface PemIdentity {
  readonly certificate: string;
  readonly key: string;
}

const newKeyPair = (): KeyPair => generateKeyPairSync("ec", { namedCurve: "P-256" });

function identity(certificate: X509Certificate, { privateKey }: KeyPair): PemIdentity {
  return { certificate: certificate.toString(), key: privateKey.export({ format: "pem", type: "pkcs8" }).toString() };
}

function makeTlsAuthority(random: Random): PemIdentity {
  const pair = newKeyPair();
  const name = `tillseal emulated tax authority ${serial(random).slice(2, 8)}`;
  return identity(makeAuthorityCertificate(name, pair.privateKey, TLS_VALIDITY), pair);
}

/** Reads the certificate authority of a data folder, or makes one at the first start. */
export function keptTlsAuthority(folder: string, random: Random): PemIdentity {
  const files = { certificate: join(folder, CA_CERTIFICATE_FILE), key: join(folder, "ca.key.pem") };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(files.certificate)) {
    return { certificate: readText(files.certificate), key: readText(files.key) };
  }
  const made = makeTlsAuthority(random);
  // Write the key first: if the process ends before it writes the certificate, the next start makes both again.
  writeDurably(files.key, made.key);
  writeDurably(files.certificate, made.certificate);
  return made;
}

type TlsClient = Parameters<typeof makeTlsClientCertificate>[0];

export class TlsMaker {
  private readonly issuer: Issuer;
  private readonly clients = new Map<string, PemIdentity>();

  constructor(
    readonly authority: PemIdentity,
    private readonly random: Random,
  ) {
    this.issuer = issuerOf(new X509Certificate(authority.certificate), createPrivateKey(authority.key));
  }

  /** Makes the server's certificate. @param names under which clients reach the server, besides those of this machine */
  server(names: readonly string[] = []): PemIdentity {
    const pair = newKeyPair();
    return identity(makeServerCertificate([...OWN_NAMES, ...names], this.partsFor(pair)), pair);
  }

  /** Returns a holder's client certificate, always the same. The UID is the serialNumber of its subject, as on cards. */
  client(client: TlsClient): PemIdentity {
    const holder = JSON.stringify(client);
    const made = this.clients.get(holder) ?? this.clientWith(newKeyPair(), client);
    this.clients.set(holder, made);
    return made;
  }

  /** Makes another client certificate, with an RSA key, as authorities do for PFX files. Takes up to a second. */
  async rsaClient(client: TlsClient): Promise<PemIdentity> {
    return this.clientWith(await promisify(generateKeyPair)("rsa", { modulusLength: 2048 }), client);
  }

  private clientWith(pair: KeyPair, client: TlsClient): PemIdentity {
    return identity(makeTlsClientCertificate(client, this.partsFor(pair)), pair);
  }

  private partsFor({ publicKey }: KeyPair) {
    return { publicKey, validity: TLS_VALIDITY, issuer: this.issuer, serial: serial(this.random) };
  }
}

/**
 * Returns the maker for authorities without a data folder. All such authorities in one process share a certificate
 * authority, so that a program which trusts one of them trusts all.
 */
export function sharedTlsMaker(): TlsMaker {
  shared ??= new TlsMaker(makeTlsAuthority(systemRandom), systemRandom);
  return shared;
}

let shared: TlsMaker | undefined;

/** Random, because some programs refuse a second certificate of a CA with the same number. */
function serial(random: Random): string {
  return `01${Buffer.from(random.bytes(SERIAL_BYTES)).toString("hex")}`;
}
