/** The certificates of emulated cards, of the authority's server and of its clients. */
import type { KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Taxpayer } from "../../src/fiscal/invoice.js";
import { ia5, implicit, oid, printable, sequence, tagged, utf8 } from "./der.js";
import {
  attribute,
  type CertificateValidity,
  type Certified,
  extension,
  type Issuer,
  issue,
  name,
  OID,
  SUBJECT_OID,
  serialNumber,
  TEST_NOTICE,
  USAGE,
} from "./x509.js";

const TAX_OID = "1.3.6.1.4.1.49952";
/** Number of the emulated environment in the authority's extensions: that of a sandbox (protocol facts, section 10). */
const ENVIRONMENT = 5;
/** Numbers of the countries in the authority's extensions. Those of other countries are not known. */
const COUNTRIES: Readonly<Record<string, number>> = { FJ: 2, WS: 6, RS: 8 };
const UNKNOWN_COUNTRY = 1;

/** Identifier of an extension. @param place 5 the authority's API, 6 the TIN, 7 the online service */
const taxExtension = (country: string, place: 5 | 6 | 7): string =>
  `${TAX_OID}.${ENVIRONMENT}.${COUNTRIES[country] ?? UNKNOWN_COUNTRY}.${place}`;

export interface CardSubject extends Taxpayer {
  readonly uid: string;
  readonly country: string;
  readonly taxAuthorityApi: string;
}

/**
 * Base of addresses in a card's certificate. Nothing is published there. The certificate of a real card contains such
 * addresses, which make it larger than the buffers of some programs.
 */
const PUBLISHED_AT = "http://pki.tax-authority.test";

/** Tags of names in a GeneralName (RFC 5280, section 4.2.1.6). */
const DNS_NAME = 2;
const URI = 6;
const IP_ADDRESS = 7;

const uri = (path: string) => implicit(URI, Buffer.from(PUBLISHED_AT + path));

/** Authority information access, revocation list and policy. */
const PUBLISHED = [
  extension(
    OID.authorityAccess,
    sequence(sequence(oid(OID.caIssuers), uri("/issuer.cer")), sequence(oid(OID.ocsp), uri("/ocsp"))),
  ),
  extension(OID.crlDistributionPoints, sequence(sequence(tagged(0, tagged(0, uri("/cards.crl")))))),
  extension(
    OID.certificatePolicies,
    sequence(
      sequence(
        oid(`${TAX_OID}.1.1.1`),
        sequence(
          sequence(oid(OID.practiceStatement), ia5(`${PUBLISHED_AT}/practice.html`)),
          sequence(oid(OID.userNotice), sequence(utf8(TEST_NOTICE))),
        ),
      ),
    ),
  ),
];

/**
 * Makes a card's certificate. The subject has the UID and the taxpayer. Two extensions have the authority's address and
 * the TIN as plain ASCII (protocol facts, section 1, "Certificate subject").
 */
export function makeCardCertificate(
  subject: CardSubject,
  publicKey: KeyObject,
  validity: CertificateValidity,
  issuer: Issuer,
): X509Certificate {
  const parts = {
    serial: serialNumber(JSON.stringify(subject)),
    subject: subjectOf(subject),
    publicKey,
    validity,
    extensions: [...PUBLISHED, ...taxExtensions(subject)],
  };
  return issue(parts, USAGE.digitalSignature | USAGE.nonRepudiation, "clientAuth", issuer);
}

function subjectOf(subject: CardSubject): readonly Uint8Array[] {
  return [
    attribute(SUBJECT_OID.commonName, utf8(`${subject.uid} ${TEST_NOTICE}`)),
    attribute(SUBJECT_OID.serialNumber, utf8(subject.uid)),
    attribute(SUBJECT_OID.organization, utf8(subject.businessName)),
    attribute(SUBJECT_OID.organizationalUnit, utf8(subject.locationName)),
    attribute(SUBJECT_OID.street, utf8(subject.address)),
    attribute(SUBJECT_OID.district, utf8(subject.district)),
    attribute(SUBJECT_OID.country, printable(subject.country)),
  ];
}

const taxExtensions = ({ country, taxAuthorityApi, tin }: CardSubject) => [
  extension(taxExtension(country, 5), Buffer.from(taxAuthorityApi)),
  extension(taxExtension(country, 6), Buffer.from(tin)),
];

interface TlsCertified extends Pick<Certified, "serial" | "publicKey" | "validity"> {
  readonly issuer: Issuer;
}

/** @param names host names and addresses under which clients reach the server */
export function makeServerCertificate(names: readonly string[], { issuer, ...parts }: TlsCertified): X509Certificate {
  const subject = name(names[0] ?? "localhost");
  const extensions = [extension(OID.subjectAltName, sequence(...names.map(generalName)))];
  return issue({ ...parts, subject, extensions }, USAGE.digitalSignature, "serverAuth", issuer);
}

function generalName(host: string): Uint8Array {
  return isIP(host) ? implicit(IP_ADDRESS, addressBytes(host)) : implicit(DNS_NAME, Buffer.from(host));
}

function addressBytes(host: string): Uint8Array {
  if (isIP(host) === 4) return Buffer.from(host.split(".").map(Number));
  // URL writes an address without dots, and in the place of the longest row of zeros `::`.
  const [start = "", end = ""] = new URL(`http://[${host}]`).hostname.slice(1, -1).split("::").map(hexOf);
  return Buffer.from(start + end.padStart(32 - start.length, "0"), "hex");
}

/** @param groups such as `fe80:1` */
const hexOf = (groups: string) => groups.replace(/[^:]+/g, (group) => group.padStart(4, "0")).replaceAll(":", "");

/**
 * For a service that does not use its card's PKI applet for TLS, or for a POS of the online service.
 * @param client with the address of the online service, by which programs find that service
 */
export function makeTlsClientCertificate(
  client: { readonly uid: string } | (CardSubject & { readonly onlineService: string }),
  { issuer, ...parts }: TlsCertified,
): X509Certificate {
  const { uid } = client;
  const online = "onlineService" in client ? client : undefined;
  const subject = online
    ? subjectOf(online)
    : [...name(`${uid} TLS client`), attribute(SUBJECT_OID.serialNumber, utf8(uid))];
  const extensions = online
    ? [...taxExtensions(online), extension(taxExtension(online.country, 7), Buffer.from(online.onlineService))]
    : [];
  return issue({ ...parts, subject, extensions }, USAGE.digitalSignature, "clientAuth", issuer);
}
