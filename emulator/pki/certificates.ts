/** Certificates of the emulated public key infrastructure, made by node-forge. */
import { createHash, type KeyObject, sign as signBytes } from "node:crypto";
import { isIP } from "node:net";
import type forge from "node-forge";
import { nodeForge } from "../../src/base/node-forge.js";
import { SUBJECT_OID, TEST_ISSUER } from "../../src/secure-element/certificate.js";

/** Text that marks the emulator's certificates and the files of its keys as a test. */
export const TEST_NOTICE = `TEST ONLY - ${TEST_ISSUER} - not a tax authority`;

const TAX_OID = "1.3.6.1.4.1.49952";
/** Number of the emulated environment in the authority's extensions: that of a sandbox (protocol facts, section 10). */
const ENVIRONMENT = 5;
/** Numbers of the countries in the authority's extensions. Those of other countries are not known. */
const COUNTRIES: Readonly<Record<string, number>> = { FJ: 2, WS: 6, RS: 8 };
const UNKNOWN_COUNTRY = 1;

/** Identifier of an extension. @param place 5 the authority's API, 6 the TIN, 7 the online service */
const taxExtension = (country: string, place: 5 | 6 | 7): string =>
  `${TAX_OID}.${ENVIRONMENT}.${COUNTRIES[country] ?? UNKNOWN_COUNTRY}.${place}`;

export interface CardSubject {
  readonly uid: string;
  readonly tin: string;
  readonly businessName: string;
  readonly locationName: string;
  readonly address: string;
  readonly district: string;
  readonly country: string;
  readonly taxAuthorityApi: string;
}

export interface CertificateValidity {
  readonly validFrom: Date;
  readonly validTo: Date;
}

/** The issuer of a certificate. OpenSSL signs with the issuer's key. */
export interface Issuer {
  readonly certificate: forge.pki.Certificate;
  readonly privateKey: KeyObject;
}

type Attribute = forge.pki.CertificateField;

function utf8(type: string, value: string): Attribute {
  // The cast is necessary, because forge's types declare the tag as an asn1.Class.
  const valueTagClass = nodeForge().asn1.Type.UTF8 as unknown as forge.asn1.Class;
  return { type, value, valueTagClass };
}

function name(commonName: string): Attribute[] {
  return [utf8(SUBJECT_OID.commonName, commonName), utf8(SUBJECT_OID.organization, TEST_NOTICE)];
}

/** Derives the serial number from the certificate's purpose, so that the same input gives the same bytes. */
function serialNumber(text: string): string {
  return `01${createHash("sha256").update(text).digest("hex").slice(0, 30)}`;
}

/** Makes the certificate of an issuing authority. Without `issuer`, makes a root certificate. */
export function makeAuthorityCertificate(
  commonName: string,
  keys: { publicKey: forge.pki.rsa.PublicKey; privateKey: KeyObject },
  validity: CertificateValidity,
  issuer?: Issuer,
): forge.pki.Certificate {
  const certificate = nodeForge().pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = serialNumber(commonName);
  certificate.validity.notBefore = validity.validFrom;
  certificate.validity.notAfter = validity.validTo;
  certificate.setSubject(name(commonName));
  certificate.setIssuer(issuer ? issuer.certificate.subject.attributes : certificate.subject.attributes);
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    { name: "subjectKeyIdentifier" },
  ]);
  sign(certificate, issuer?.privateKey ?? keys.privateKey);
  return certificate;
}

/**
 * Base of addresses in a card's certificate. Nothing is published there. The certificate of a real card contains such
 * addresses, which make it larger than the buffers of some programs.
 */
const PUBLISHED_AT = "http://pki.tax-authority.test";
/** Tag of a uniformResourceIdentifier in a GeneralName (RFC 5280, section 4.2.1.6). */
const URI = 6;

function der(type: forge.asn1.Type, value: string | forge.asn1.Asn1[]): forge.asn1.Asn1 {
  const { asn1 } = nodeForge();
  return asn1.create(asn1.Class.UNIVERSAL, type, typeof value !== "string", value);
}

function oid(text: string): forge.asn1.Asn1 {
  const { asn1 } = nodeForge();
  return der(asn1.Type.OID, asn1.oidToDer(text).getBytes());
}

/** Returns the extension for authority information access (RFC 5280, section 4.2.2.1). */
function authorityAccess(issuers: string, ocsp: string): string {
  const { asn1 } = nodeForge();
  const place = (method: string, url: string) =>
    der(asn1.Type.SEQUENCE, [oid(method), asn1.create(asn1.Class.CONTEXT_SPECIFIC, URI, false, url)]);
  const places = [place("1.3.6.1.5.5.7.48.2", issuers), place("1.3.6.1.5.5.7.48.1", ocsp)];
  return asn1.toDer(der(asn1.Type.SEQUENCE, places)).getBytes();
}

/**
 * Returns the extension for certificate policies, with a practice statement and a notice for people (RFC 5280, section
 * 4.2.1.4).
 */
function policy(id: string, practice: string, notice: string): string {
  const { asn1 } = nodeForge();
  const sequence = (...members: forge.asn1.Asn1[]) => der(asn1.Type.SEQUENCE, members);
  const qualifiers = sequence(
    sequence(oid("1.3.6.1.5.5.7.2.1"), der(asn1.Type.IA5STRING, practice)),
    sequence(oid("1.3.6.1.5.5.7.2.2"), sequence(der(asn1.Type.UTF8, notice))),
  );
  return asn1.toDer(sequence(sequence(oid(id), qualifiers))).getBytes();
}

/**
 * Makes a card's certificate. The subject has the UID and the taxpayer. Two extensions have the authority's address and
 * the TIN as plain ASCII (protocol facts, section 1, "Certificate subject").
 */
export function makeCardCertificate(
  subject: CardSubject,
  publicKey: forge.pki.rsa.PublicKey,
  validity: CertificateValidity,
  issuer: Issuer,
): forge.pki.Certificate {
  const certificate = nodeForge().pki.createCertificate();
  certificate.publicKey = publicKey;
  certificate.serialNumber = serialNumber(JSON.stringify(subject));
  certificate.validity.notBefore = validity.validFrom;
  certificate.validity.notAfter = validity.validTo;
  certificate.setSubject(subjectOf(subject));
  certificate.setIssuer(issuer.certificate.subject.attributes);
  certificate.setExtensions([
    { name: "basicConstraints", cA: false },
    { name: "keyUsage", digitalSignature: true, nonRepudiation: true, critical: true },
    { name: "extKeyUsage", clientAuth: true },
    { name: "subjectKeyIdentifier" },
    { name: "authorityKeyIdentifier", keyIdentifier: issuer.certificate.generateSubjectKeyIdentifier().getBytes() },
    { id: "1.3.6.1.5.5.7.1.1", value: authorityAccess(`${PUBLISHED_AT}/issuer.cer`, `${PUBLISHED_AT}/ocsp`) },
    { name: "cRLDistributionPoints", altNames: [{ type: URI, value: `${PUBLISHED_AT}/cards.crl` }] },
    { id: "2.5.29.32", value: policy(`${TAX_OID}.1.1.1`, `${PUBLISHED_AT}/practice.html`, TEST_NOTICE) },
    ...taxExtensions(subject),
  ]);
  sign(certificate, issuer.privateKey);
  return certificate;
}

function subjectOf(subject: CardSubject): Attribute[] {
  return [
    utf8(SUBJECT_OID.commonName, `${subject.uid} ${TEST_NOTICE}`),
    utf8(SUBJECT_OID.serialNumber, subject.uid),
    utf8(SUBJECT_OID.organization, subject.businessName),
    utf8(SUBJECT_OID.organizationalUnit, subject.locationName),
    utf8(SUBJECT_OID.street, subject.address),
    utf8(SUBJECT_OID.district, subject.district),
    { type: SUBJECT_OID.country, value: subject.country },
  ];
}

const taxExtensions = ({ country, taxAuthorityApi, tin }: CardSubject) => [
  { id: taxExtension(country, 5), value: taxAuthorityApi },
  { id: taxExtension(country, 6), value: tin },
];

/**
 * Signs a certificate with OpenSSL. The signature is the same as that of forge, but thirty times as fast, because forge
 * computes in JavaScript.
 */
function sign(certificate: forge.pki.Certificate, key: KeyObject): void {
  const { asn1, md } = nodeForge();
  const signer = {
    sign: () => {
      const signed = asn1.toDer(certificate.tbsCertificate as forge.asn1.Asn1).getBytes();
      return signBytes("sha256", Buffer.from(signed, "latin1"), key).toString("latin1");
    },
  };
  certificate.sign(signer as unknown as forge.pki.rsa.PrivateKey, md.sha256.create());
}

/** Tags of names in a GeneralName (RFC 5280, section 4.2.1.6). */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/**
 * Makes the certificate of the authority's server.
 * @param names host names and addresses under which clients reach the server
 */
export function makeServerCertificate(
  names: readonly string[],
  publicKey: forge.pki.rsa.PublicKey,
  validity: CertificateValidity,
  issuer: Issuer,
  serial: string,
): forge.pki.Certificate {
  const altNames = names.map((host) => (isIP(host) ? { type: IP_ADDRESS, ip: host } : { type: DNS_NAME, value: host }));
  const extensions = [
    { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectAltName", altNames },
  ];
  return makeTlsCertificate(name(names[0] ?? "localhost"), extensions, { publicKey, validity, issuer, serial });
}

/** The holder of a client certificate for the online service. */
export interface OnlineSubject extends CardSubject {
  /** Address of the online service. Programs find the service by it. */
  readonly onlineService: string;
}

/**
 * Makes the client certificate of a service that does not use its card's PKI applet for TLS, or of a POS that calls the
 * online service.
 */
export function makeTlsClientCertificate(
  client: { readonly uid: string } | OnlineSubject,
  publicKey: forge.pki.rsa.PublicKey,
  validity: CertificateValidity,
  issuer: Issuer,
  serial: string,
): forge.pki.Certificate {
  const { uid } = client;
  const online = "onlineService" in client ? client : undefined;
  const subject = online ? subjectOf(online) : [...name(`${uid} TLS client`), utf8(SUBJECT_OID.serialNumber, uid)];
  const extensions = [
    { name: "keyUsage", digitalSignature: true, critical: true },
    { name: "extKeyUsage", clientAuth: true },
    ...(online ? [...taxExtensions(online), { id: taxExtension(online.country, 7), value: online.onlineService }] : []),
  ];
  return makeTlsCertificate(subject, extensions, { publicKey, validity, issuer, serial });
}

interface TlsCertificateParts {
  readonly publicKey: forge.pki.rsa.PublicKey;
  readonly validity: CertificateValidity;
  readonly issuer: Issuer;
  readonly serial: string;
}

function makeTlsCertificate(
  subject: Attribute[],
  extensions: readonly object[],
  { publicKey, validity, issuer, serial }: TlsCertificateParts,
): forge.pki.Certificate {
  const certificate = nodeForge().pki.createCertificate();
  certificate.publicKey = publicKey;
  certificate.serialNumber = serial;
  certificate.validity.notBefore = validity.validFrom;
  certificate.validity.notAfter = validity.validTo;
  certificate.setSubject(subject);
  certificate.setIssuer(issuer.certificate.subject.attributes);
  const keyIdentifier = issuer.certificate.generateSubjectKeyIdentifier().getBytes();
  certificate.setExtensions([
    { name: "basicConstraints", cA: false },
    ...extensions,
    { name: "subjectKeyIdentifier" },
    { name: "authorityKeyIdentifier", keyIdentifier },
  ]);
  sign(certificate, issuer.privateKey);
  return certificate;
}

export function toDer(certificate: forge.pki.Certificate): Uint8Array {
  return Buffer.from(nodeForge().asn1.toDer(nodeForge().pki.certificateToAsn1(certificate)).getBytes(), "latin1");
}
