/**
 * Who the authority and its clients are on the wire: a certificate authority for TLS, made for one installation. Its key
 * is never in the package: a machine may trust this authority without trusting everybody who has the package.
 */
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import forge from "node-forge";
import type { Random } from "../../src/random.js";
import { SUBJECT_OID } from "../../src/secure-element/certificate.js";
import { makeAuthorityCertificate, makeServerCertificate, makeTlsClientCertificate } from "./certificates.js";

const generate = promisify(generateKeyPair);

/** Longer than any test; an emulated clock may stand anywhere inside. */
export const TLS_VALIDITY = { validFrom: new Date("2015-01-01T00:00:00Z"), validTo: new Date("2049-12-31T23:59:59Z") };
const SERIAL_BYTES = 15;

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
  const key = forge.pki.privateKeyFromPem(pem);
  return { pem, pair: { privateKey: key, publicKey: forge.pki.setRsaPublicKey(key.n, key.e) } };
}

const toPem = (certificate: forge.pki.Certificate) => forge.pki.certificateToPem(certificate).replaceAll("\r\n", "\n");

/** A new certificate authority for TLS. */
export async function makeTlsAuthority(random: Random): Promise<PemIdentity> {
  const { pem, pair } = await newKeyPair();
  const name = `tillseal emulated tax authority ${serial(random).slice(2, 8)}`;
  return { certificate: toPem(makeAuthorityCertificate(name, pair, TLS_VALIDITY)), key: pem };
}

/** @param names host names and addresses under which the server is reached */
export async function makeServerIdentity(
  authority: PemIdentity,
  names: readonly string[],
  random: Random,
): Promise<PemIdentity> {
  const { pem, pair } = await newKeyPair();
  const certificate = makeServerCertificate(names, pair.publicKey, TLS_VALIDITY, issuer(authority), serial(random));
  return { certificate: toPem(certificate), key: pem };
}

/** @param uid 8 characters; becomes serialNumber of the subject, as on cards */
export async function makeClientIdentity(
  authority: PemIdentity,
  uid: string,
  random: Random,
): Promise<ClientCertificate> {
  const { pem, pair } = await newKeyPair();
  const certificate = makeTlsClientCertificate(uid, pair.publicKey, TLS_VALIDITY, issuer(authority), serial(random));
  const pkcs12 = forge.pkcs12.toPkcs12Asn1(pair.privateKey, [certificate], PFX_PASSPHRASE, {
    algorithm: "aes256",
    friendlyName: uid,
  });
  const pfx = Buffer.from(forge.asn1.toDer(pkcs12).getBytes(), "latin1");
  return { certificate: toPem(certificate), key: pem, pfx, passphrase: PFX_PASSPHRASE };
}

function issuer({ certificate, key }: PemIdentity) {
  return { certificate: forge.pki.certificateFromPem(certificate), privateKey: forge.pki.privateKeyFromPem(key) };
}

/** Two certificates of one authority must not have the same number: some programs refuse the second. */
function serial(random: Random): string {
  return `01${Buffer.from(random.bytes(SERIAL_BYTES)).toString("hex")}`;
}

/** The UID in a client's certificate, or undefined where it has none. @param der X.509 DER */
export function uidOf(der: Uint8Array): string | undefined {
  const asn1 = forge.asn1.fromDer(forge.util.createBuffer(Buffer.from(der).toString("latin1")));
  const field: unknown = forge.pki.certificateFromAsn1(asn1).subject.getField({ type: SUBJECT_OID.serialNumber });
  const value = (field as { value?: unknown } | null)?.value;
  return typeof value === "string" && /^[\x21-\x7e]{8}$/.test(value) ? value : undefined;
}
