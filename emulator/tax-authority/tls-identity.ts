/**
 * Who the authority and its clients are on the wire: a certificate authority for TLS, made for one installation. Its key
 * is never in the package: a machine may trust this authority without trusting everybody who has the package.
 */
import { createPrivateKey, generateKeyPair } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type forge from "node-forge";
import { nodeForge } from "../../src/node-forge.js";
import { type Random, systemRandom } from "../../src/random.js";
import { writeDurably } from "../../src/write-durably.js";
import {
  type Issuer,
  makeAuthorityCertificate,
  makeServerCertificate,
  makeTlsClientCertificate,
} from "./certificates.js";

const generate = promisify(generateKeyPair);

/** Longer than any test; an emulated clock may stand anywhere inside. */
export const TLS_VALIDITY = { validFrom: new Date("2015-01-01T00:00:00Z"), validTo: new Date("2049-12-31T23:59:59Z") };
const SERIAL_BYTES = 15;

/** Below the data folder: what clients have to trust. */
export const CA_CERTIFICATE_FILE = "ca.crt.pem";

/** A certificate with its private key, both PEM. */
export interface PemIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** What a client authenticates with. */
export interface ClientCertificate extends PemIdentity {
  /** PKCS#12 with key and certificate. */
  readonly pfx: Uint8Array;
  readonly passphrase: string;
}

/** For tests: everybody may know it. */
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

/** The certificate authority of a data folder; a new one at the first start. */
export async function keptTlsAuthority(folder: string, random: Random): Promise<PemIdentity> {
  const files = { certificate: join(folder, CA_CERTIFICATE_FILE), key: join(folder, "ca.key.pem") };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(files.certificate)) {
    return { certificate: readFileSync(files.certificate, "utf8"), key: readFileSync(files.key, "utf8") };
  }
  const made = await makeTlsAuthority(random);
  // The key first: a start that was interrupted makes both again.
  writeDurably(files.key, made.key);
  writeDurably(files.certificate, made.certificate);
  return made;
}

/** @param names host names and addresses under which the server is reached */
async function makeServerIdentity(
  authority: PemIdentity,
  names: readonly string[],
  random: Random,
): Promise<PemIdentity> {
  const { pem, pair } = await newKeyPair();
  const certificate = makeServerCertificate(names, pair.publicKey, TLS_VALIDITY, issuer(authority), serial(random));
  return { certificate: toPem(certificate), key: pem };
}

/** @param uid 8 characters; becomes serialNumber of the subject, as on cards */
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

/** Makes what an authority needs on the wire. */
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
 * For authorities that keep nothing: all of one process have one certificate authority and share what it has certified,
 * because keys take longer than most tests.
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

/** Two certificates of one authority must not have the same number: some programs refuse the second. */
function serial(random: Random): string {
  return `01${Buffer.from(random.bytes(SERIAL_BYTES)).toString("hex")}`;
}
