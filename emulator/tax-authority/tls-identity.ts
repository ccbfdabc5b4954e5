/**
 * The TLS identities of the authority and its clients. Each installation makes its certificate authority. The key is not in the
 * package, so that a machine that trusts this authority does not trust everyone who has the package.
 */
import { createPrivateKey, generateKeyPair } from "node:crypto";
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

/** Long enough for every time that a test sets its clock to. */
export const TLS_VALIDITY = { validFrom: new Date("2015-01-01T00:00:00Z"), validTo: new Date("2049-12-31T23:59:59Z") };
const SERIAL_BYTES = 15;

/** File in the data folder with the certificate that clients must trust. */
export const CA_CERTIFICATE_FILE = "ca.crt.pem";

/** A certificate with its private key, both PEM. */
export interface PemIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** The certificate and key with which a client authenticates. */
export interface ClientCertificate extends PemIdentity {
  /** PKCS#12 with key and certificate. */
  readonly pfx: Uint8Array;
  readonly passphrase: string;
}

/** It is for tests and not a secret. */
const PFX_PASSPHRASE = "tillseal";

async function newKeyPair(): Promise<{ pem: string; pair: forge.pki.rsa.KeyPair }> {
  const { privateKey } = await generate("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const { pki } = nodeForge();
  const key = pki.privateKeyFromPem(pem);
  return { pem, pair: { privateKey: key, publicKey: pki.setRsaPublicKey(key.n, key.e) } };
}

const toPem = (certificate: forge.pki.Certificate) =>
  nodeForge().pki.certificateToPem(certificate).replaceAll("\r\n", "\n");

/** A new certificate authority for TLS. */
async function makeTlsAuthority(random: Random): Promise<PemIdentity> {
  const { pem, pair } = await newKeyPair();
  const name = `tillseal emulated tax authority ${serial(random).slice(2, 8)}`;
  return { certificate: toPem(makeAuthorityCertificate(name, pair, TLS_VALIDITY)), key: pem };
}

/** Reads the certificate authority of a data folder, or makes it at the first start. */
export async function keptTlsAuthority(folder: string, random: Random): Promise<PemIdentity> {
  const files = { certificate: join(folder, CA_CERTIFICATE_FILE), key: join(folder, "ca.key.pem") };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(files.certificate)) {
    return { certificate: readFileSync(files.certificate, "utf8"), key: readFileSync(files.key, "utf8") };
  }
  const made = await makeTlsAuthority(random);
  // The key is written first, so that the next start after an interruption makes both again.
  writeDurably(files.key, made.key);
  writeDurably(files.certificate, made.certificate);
  return made;
}

/** @param names host names and addresses under which clients reach the server */
async function makeServerIdentity(
  authority: PemIdentity,
  names: readonly string[],
  random: Random,
): Promise<PemIdentity> {
  const { pem, pair } = await newKeyPair();
  const certificate = makeServerCertificate(names, pair.publicKey, TLS_VALIDITY, issuer(authority), serial(random));
  return { certificate: toPem(certificate), key: pem };
}

/** @param uid 8 characters; becomes the serialNumber of the subject, as on cards */
async function makeClientIdentity(authority: PemIdentity, uid: string, random: Random): Promise<ClientCertificate> {
  const { pem, pair } = await newKeyPair();
  const certificate = makeTlsClientCertificate(uid, pair.publicKey, TLS_VALIDITY, issuer(authority), serial(random));
  const { pkcs12, asn1 } = nodeForge();
  const content = pkcs12.toPkcs12Asn1(pair.privateKey, [certificate], PFX_PASSPHRASE, {
    algorithm: "aes256",
    friendlyName: uid,
  });
  const pfx = Buffer.from(asn1.toDer(content).getBytes(), "latin1");
  return { certificate: toPem(certificate), key: pem, pfx, passphrase: PFX_PASSPHRASE };
}

/** Makes the certificates that an authority needs for TLS. */
export interface TlsMaker {
  readonly authority: PemIdentity;
  server(names: readonly string[]): Promise<PemIdentity>;
  client(uid: string): Promise<ClientCertificate>;
}

export function tlsMaker(authority: PemIdentity, random: Random): TlsMaker {
  return {
    authority,
    server: (names) => makeServerIdentity(authority, names, random),
    client: (uid) => makeClientIdentity(authority, uid, random),
  };
}

/**
 * For authorities without a data folder: all of them in one process share a certificate authority and its certificates, because
 * making keys takes longer than most tests.
 */
export function sharedTlsMaker(): Promise<TlsMaker> {
  shared ??= makeTlsAuthority(systemRandom).then((authority) => {
    const { server, client } = tlsMaker(authority, systemRandom);
    const servers = new Map<string, Promise<PemIdentity>>();
    const clients = new Map<string, Promise<ClientCertificate>>();
    return {
      authority,
      server: (names) => madeOnce(servers, names.join(" "), () => server(names)),
      client: (uid) => madeOnce(clients, uid, () => client(uid)),
    };
  });
  return shared;
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

/** Two certificates of one authority must not have the same number, because some programs refuse the second. */
function serial(random: Random): string {
  return `01${Buffer.from(random.bytes(SERIAL_BYTES)).toString("hex")}`;
}
