/** Makes and signs certificates (X.509, RFC 5280): what those of an authority, a card, a server and a client have in common. */
import { createHash, createPublicKey, type KeyObject, sign, X509Certificate } from "node:crypto";
import { TEST_ISSUER } from "../../src/secure-element/certificate.js";
import { bits, implicit, integer, NULL, octets, oid, sequence, set, TRUE, tagged, time, utf8 } from "./der.js";

/** Text that marks the emulator's certificates and the files of its keys as a test. */
export const TEST_NOTICE = `TEST ONLY - ${TEST_ISSUER} - not a tax authority`;

export interface CertificateValidity {
  readonly validFrom: Date;
  readonly validTo: Date;
}

export const attribute = (type: string, value: Uint8Array) => set(sequence(oid(type), value));

export function name(commonName: string): readonly Uint8Array[] {
  return [attribute(SUBJECT_OID.commonName, utf8(commonName)), attribute(SUBJECT_OID.organization, utf8(TEST_NOTICE))];
}

/** Derives the serial number from the certificate's purpose, so that the same input gives the same bytes. */
export function serialNumber(text: string): string {
  return `01${createHash("sha256").update(text).digest("hex").slice(0, 30)}`;
}

/** Identifiers of the attributes (X.520) in a name. */
export const SUBJECT_OID = {
  commonName: "2.5.4.3",
  serialNumber: "2.5.4.5",
  country: "2.5.4.6",
  district: "2.5.4.8",
  street: "2.5.4.9",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
};

/** Identifiers of extensions (RFC 5280, section 4.2), and of their values. */
export const OID = {
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  crlDistributionPoints: "2.5.29.31",
  certificatePolicies: "2.5.29.32",
  authorityKeyIdentifier: "2.5.29.35",
  extKeyUsage: "2.5.29.37",
  authorityAccess: "1.3.6.1.5.5.7.1.1",
  practiceStatement: "1.3.6.1.5.5.7.2.1",
  userNotice: "1.3.6.1.5.5.7.2.2",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
  ocsp: "1.3.6.1.5.5.7.48.1",
  caIssuers: "1.3.6.1.5.5.7.48.2",
};

export const extension = (id: string, ...value: readonly Uint8Array[]) => sequence(oid(id), octets(...value));
const critical = (id: string, value: Uint8Array) => sequence(oid(id), TRUE, octets(value));

export const USAGE = {
  digitalSignature: 0x80,
  nonRepudiation: 0x40,
  keyCertSign: 0x04,
  crlSign: 0x02,
};

/** @param usage bits of {@link USAGE} */
function keyUsage(usage: number): Uint8Array {
  const unused = Math.log2(usage & -usage);
  return critical(OID.keyUsage, bits(Buffer.from([usage]), unused));
}

/** The SHA-1 of the public key without its algorithm (RFC 5280, section 4.2.1.2). */
function keyIdentifier(key: KeyObject): Uint8Array {
  // The point of a P-256 key is at the end.
  const isRsa = key.asymmetricKeyType === "rsa";
  const content = isRsa
    ? key.export({ type: "pkcs1", format: "der" })
    : key.export({ type: "spki", format: "der" }).subarray(-65);
  return createHash("sha1").update(content).digest();
}

const subjectKey = (key: KeyObject) => extension(OID.subjectKeyIdentifier, octets(keyIdentifier(key)));

export interface Issuer {
  readonly name: readonly Uint8Array[];
  readonly privateKey: KeyObject;
  readonly keyIdentifier: Uint8Array;
}

const authorityKey = ({ keyIdentifier }: Issuer) =>
  extension(OID.authorityKeyIdentifier, sequence(implicit(0, keyIdentifier)));

/** @param certificate from {@link makeAuthorityCertificate} */
export function issuerOf(certificate: X509Certificate, privateKey: KeyObject): Issuer {
  const commonName = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? "";
  return { name: name(commonName), privateKey, keyIdentifier: keyIdentifier(certificate.publicKey) };
}

export interface Certified {
  /** Hexadecimal. */
  readonly serial: string;
  readonly subject: readonly Uint8Array[];
  readonly publicKey: KeyObject;
  readonly validity: CertificateValidity;
  readonly extensions: readonly Uint8Array[];
}

function signed(parts: Certified, issuer: Pick<Issuer, "name" | "privateKey">): X509Certificate {
  const { serial, subject, publicKey, validity, extensions } = parts;
  const { privateKey } = issuer;
  const algorithm =
    privateKey.asymmetricKeyType === "rsa" ? sequence(oid(SHA256_RSA), NULL) : sequence(oid(SHA256_ECDSA));
  const content = sequence(
    tagged(0, integer(VERSION_3)),
    integer(serial),
    algorithm,
    sequence(...issuer.name),
    sequence(time(validity.validFrom), time(validity.validTo)),
    sequence(...subject),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(3, sequence(...extensions)),
  );
  return new X509Certificate(sequence(content, algorithm, bits(sign("sha256", content, privateKey))));
}

const VERSION_3 = "02";
const SHA256_RSA = "1.2.840.113549.1.1.11";
const SHA256_ECDSA = "1.2.840.10045.4.3.2";

/** Makes the certificate of an issuing authority. Without `issuer`, makes a root certificate. */
export function makeAuthorityCertificate(
  commonName: string,
  privateKey: KeyObject,
  validity: CertificateValidity,
  issuer?: Issuer,
): X509Certificate {
  const publicKey = createPublicKey(privateKey);
  const subject = name(commonName);
  const parts = {
    serial: serialNumber(commonName),
    subject,
    publicKey,
    validity,
    extensions: [
      critical(OID.basicConstraints, sequence(TRUE)),
      keyUsage(USAGE.keyCertSign | USAGE.crlSign),
      subjectKey(publicKey),
      ...(issuer ? [authorityKey(issuer)] : []),
    ],
  };
  return signed(parts, issuer ?? { name: subject, privateKey });
}

/** @param usage bits of {@link USAGE} */
export function issue(
  parts: Certified,
  usage: number,
  purpose: "clientAuth" | "serverAuth",
  issuer: Issuer,
): X509Certificate {
  const extensions = [
    extension(OID.basicConstraints, sequence()),
    keyUsage(usage),
    extension(OID.extKeyUsage, sequence(oid(OID[purpose]))),
    subjectKey(parts.publicKey),
    authorityKey(issuer),
    ...parts.extensions,
  ];
  return signed({ ...parts, extensions }, issuer);
}
