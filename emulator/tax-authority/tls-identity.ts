/**
 * The TLS identities of the authority and its clients. Each installation makes a certificate authority (CA) for itself.
 * If the CA's key were in the package, everyone who has the package could make certificates that this machine trusts.
 */
import { createPrivateKey, generateKeyPair, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type forge from "node-forge";
import { nodeForge } from "../../src/base/node-forge.js";
import { type Random, systemRandom } from "../../src/base/random.js";
import { writeDurably } from "../../src/base/write-durably.js";
import {
  type Issuer,
  makeAuthorityCertificate,
  makeServerCertificate,
  makeTlsClientCertificate,
} from "../pki/certificates.js";

const generate = promisify(generateKeyPair);

/** Validity of every TLS certificate. It includes all times to which tests set a clock. */
const TLS_VALIDITY = { validFrom: new Date("2015-01-01T00:00:00Z"), validTo: new Date("2049-12-31T23:59:59Z") };
const SERIAL_BYTES = 15;

/** File in the data folder with the certificate that clients must trust. */
export const CA_CERTIFICATE_FILE = "ca.crt.pem";

/** A certificate with its private key, both PEM. */
export interface PemIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** Passphrase of PKCS#12 files. It is for tests and not a secret. */
export const PFX_PASSPHRASE = "tillseal";

/** Returns a PKCS#12 file with key and certificate, encrypted with {@link PFX_PASSPHRASE}. */
export function pkcs12Of({ certificate, key }: PemIdentity, friendlyName: string): Uint8Array {
  const { pkcs12, pki, asn1 } = nodeForge();
  const content = pkcs12.toPkcs12Asn1(
    pki.privateKeyFromPem(key),
    [pki.certificateFromPem(certificate)],
    PFX_PASSPHRASE,
    { algorithm: "aes256", friendlyName },
  );
  return Buffer.from(asn1.toDer(content).getBytes(), "latin1");
}

interface KeyPair {
  readonly publicKey: forge.pki.rsa.PublicKey;
  readonly privateKey: KeyObject;
}

async function newKeyPair(): Promise<KeyPair> {
  const { publicKey, privateKey } = await generate("rsa", { modulusLength: 2048 });
  return { publicKey: nodeForge().pki.publicKeyFromPem(pemOf(publicKey, "spki")), privateKey };
}

const pemOf = (key: KeyObject, type: "spki" | "pkcs8") => key.export({ format: "pem", type }).toString();

function identity(certificate: forge.pki.Certificate, { privateKey }: KeyPair): PemIdentity {
  const pem = nodeForge().pki.certificateToPem(certificate).replaceAll("\r\n", "\n");
  return { certificate: pem, key: pemOf(privateKey, "pkcs8") };
}

/** Makes a new certificate authority for TLS. */
async function makeTlsAuthority(random: Random): Promise<PemIdentity> {
  const pair = await newKeyPair();
  const name = `tillseal emulated tax authority ${serial(random).slice(2, 8)}`;
  return identity(makeAuthorityCertificate(name, pair, TLS_VALIDITY), pair);
}

/** Reads the certificate authority of a data folder, or makes one at the first start. */
export async function keptTlsAuthority(folder: string, random: Random): Promise<PemIdentity> {
  const files = { certificate: join(folder, CA_CERTIFICATE_FILE), key: join(folder, "ca.key.pem") };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(files.certificate)) {
    return { certificate: readFileSync(files.certificate, "utf8"), key: readFileSync(files.key, "utf8") };
  }
  const made = await makeTlsAuthority(random);
  // Write the key first: if the process ends before it writes the certificate, the next start makes both again.
  writeDurably(files.key, made.key);
  writeDurably(files.certificate, made.certificate);
  return made;
}

type TlsClient = Parameters<typeof makeTlsClientCertificate>[0];

/** Makes the certificates that an authority needs for TLS. */
export interface TlsMaker {
  readonly authority: PemIdentity;
  /** Makes the server's certificate. @param names host names and addresses under which clients reach the server */
  server(names: readonly string[]): Promise<PemIdentity>;
  /** Makes a client certificate. The UID is the serialNumber of its subject, as on cards. */
  client(client: TlsClient): Promise<PemIdentity>;
}

/**
 * Returns a maker of certificates.
 * @param keys the keys of the first certificates; the maker makes further keys when it needs them
 */
export function tlsMaker(authority: PemIdentity, random: Random, keys = keysAhead()): TlsMaker {
  const nextKey = () => keys.shift() ?? newKeyPair();
  return {
    authority,
    server: async (names) => {
      const pair = await nextKey();
      const issued = [TLS_VALIDITY, issuer(authority), serial(random)] as const;
      return identity(makeServerCertificate(names, pair.publicKey, ...issued), pair);
    },
    client: async (holder) => {
      const pair = await nextKey();
      const issued = [TLS_VALIDITY, issuer(authority), serial(random)] as const;
      return identity(makeTlsClientCertificate(holder, pair.publicKey, ...issued), pair);
    },
  };
}

/**
 * Starts to make the keys of the server and of the first client at the same time, because each key takes up to a
 * second.
 */
const keysAhead = (): Promise<KeyPair>[] => [newKeyPair(), newKeyPair()];

/**
 * Returns the maker for authorities without a data folder. All such authorities in one process share a certificate
 * authority and its certificates, because making keys takes longer than most tests.
 */
export function sharedTlsMaker(): Promise<TlsMaker> {
  shared ??= makeSharedTlsMaker();
  return shared;
}

async function makeSharedTlsMaker(): Promise<TlsMaker> {
  const keys = keysAhead();
  const authority = await makeTlsAuthority(systemRandom);
  const { server, client } = tlsMaker(authority, systemRandom, keys);
  const servers = new Map<string, Promise<PemIdentity>>();
  const clients = new Map<string, Promise<PemIdentity>>();
  return {
    authority,
    server: (names) => madeOnce(servers, names.join(" "), () => server(names)),
    client: (holder) => madeOnce(clients, JSON.stringify(holder), () => client(holder)),
  };
}

let shared: Promise<TlsMaker> | undefined;

function madeOnce<T>(made: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> {
  const known = made.get(name) ?? make();
  made.set(name, known);
  return known;
}

function issuer({ certificate, key }: PemIdentity): Issuer {
  return { certificate: nodeForge().pki.certificateFromPem(certificate), privateKey: createPrivateKey(key) };
}

/**
 * Returns a random serial number. Two certificates of one CA must not have the same number, because some programs
 * refuse the second certificate.
 */
function serial(random: Random): string {
  return `01${Buffer.from(random.bytes(SERIAL_BYTES)).toString("hex")}`;
}
