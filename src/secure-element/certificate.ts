/** Reads the taxpayer from the card's certificate (protocol facts, section 1, "Certificate subject"). */

import { X509Certificate } from "node:crypto";
import type { asn1 as Asn1Module } from "node-forge";
// Import only this module, because loading all of node-forge takes ten times as long.
import asn1 from "node-forge/lib/asn1.js";
import type { EpochMs } from "../base/epoch-ms.js";
import type { CardIdentity } from "./secure-element.js";

/** Object identifiers of the attributes (X.520) in the certificate's subject. */
export const SUBJECT_OID = {
  commonName: "2.5.4.3",
  serialNumber: "2.5.4.5",
  country: "2.5.4.6",
  district: "2.5.4.8",
  street: "2.5.4.9",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
} as const;

/** Name of the organization that issues every card with public test keys. */
export const TEST_ISSUER = "tillseal emulator";

/**
 * Matches the identifiers of two extensions: `1.3.6.1.4.1.49952.<env>.<country>.5` has the address of the authority's
 * API, `.6` has the TIN.
 */
const TAX_EXTENSION = /^1\.3\.6\.1\.4\.1\.49952\.\d+\.\d+\.(5|6)$/;

export type CertificateIdentity = Omit<CardIdentity, "appletVersion">;

/**
 * The identity in the certificate that was read last. Kept because a service usually has one card, and reads the card's
 * certificate again after each reset.
 */
let last: CertificateIdentity | undefined;

/**
 * Reads the taxpayer from the certificate.
 * @param der X.509 DER
 * @throws Error if the certificate cannot be read, or has no UID or TIN that fits a receipt.
 */
export function readCertificate(der: Uint8Array): CertificateIdentity {
  if (last === undefined || Buffer.compare(last.certificate, der) !== 0) last = identityIn(der);
  return last;
}

function identityIn(der: Uint8Array): CertificateIdentity {
  // `X509Certificate` throws if the bytes are no certificate, so the code below can rely on the structure of RFC 5280.
  const { publicKey } = new X509Certificate(der);
  if (publicKey.asymmetricKeyType !== "rsa") throw new Error("its key is not an RSA key");
  const { issuer: issuedBy, validity, subject: issuedTo, extensions } = partsOf(der);
  const subject = namesOf(issuedTo);
  const issuer = namesOf(issuedBy);
  const field = (oid: string) => subject.get(oid) ?? "";
  const uid = field(SUBJECT_OID.serialNumber);
  const tin = taxExtension(extensions, "6");
  if (!uid) throw new Error("the subject has no serialNumber, which should be the UID");
  if (!tin) throw new Error("no extension contains the TIN");
  // Receipts and the signing request limit the lengths of UID and TIN (protocol facts, sections 2 and 3).
  if (!/^[\x21-\x7e]{8}$/.test(uid)) throw new Error("the UID is not 8 characters of ASCII");
  if (!/^[\x20-\x7e]{1,20}$/.test(tin)) throw new Error("the TIN is not 1 to 20 characters of ASCII");
  const [validFrom, validTo] = members(validity).map(timeOf);
  if (validFrom === undefined || validTo === undefined) throw new Error("it has no validity period");
  return {
    uid,
    taxpayer: {
      tin,
      businessName: field(SUBJECT_OID.organization),
      locationName: field(SUBJECT_OID.organizationalUnit),
      address: field(SUBJECT_OID.street),
      district: field(SUBJECT_OID.district),
    },
    country: field(SUBJECT_OID.country),
    taxAuthorityApi: taxExtension(extensions, "5"),
    issuer: issuer.get(SUBJECT_OID.commonName) ?? issuer.get(SUBJECT_OID.organization) ?? "",
    isTest: issuer.get(SUBJECT_OID.organization)?.includes(TEST_ISSUER) ?? false,
    certificate: der,
    publicKey,
    validFrom,
    validTo,
  };
}

type Asn1 = Asn1Module.Asn1;

/** Returns the members of a SEQUENCE or a SET; none for any other value. */
function members({ value }: Asn1): Asn1[] {
  return typeof value === "string" ? [] : value;
}

/** Returns the bytes of a primitive value, one character for each byte; empty for any other value. */
function text(part: Asn1 | undefined): string {
  return typeof part?.value === "string" ? part.value : "";
}

/** Returns issuer, validity, subject and extensions of a certificate (TBSCertificate in RFC 5280, section 4.1). */
function partsOf(der: Uint8Array) {
  const [signed] = members(asn1.fromDer(Buffer.from(der).toString("latin1")));
  const fields = signed ? members(signed) : [];
  const isTagged = ({ tagClass }: Asn1) => tagClass === asn1.Class.CONTEXT_SPECIFIC;
  // Version and extensions are tagged. The fields without a tag begin with the serial number and the algorithm.
  const [, , issuer, validity, subject] = fields.filter((part) => !isTagged(part));
  if (!issuer || !validity || !subject) throw new Error("it is not a certificate");
  const tagged = fields.find((part) => isTagged(part) && Number(part.type) === EXTENSIONS_TAG);
  const [extensions] = tagged ? members(tagged) : [];
  return { issuer, validity, subject, extensions: extensions ? members(extensions).map(extensionOf) : [] };
}

const EXTENSIONS_TAG = 3;

/** Returns the first and the last member of an extension. The flag `critical` may be between these two. */
function extensionOf(part: Asn1): Extension {
  const parts = members(part);
  return { id: asn1.derToOid(text(parts[0])), value: text(parts.at(-1)) };
}

function timeOf(time: Asn1): EpochMs {
  const written = text(time);
  const date = time.type === asn1.Type.UTCTIME ? asn1.utcTimeToDate(written) : asn1.generalizedTimeToDate(written);
  return date.getTime();
}

/** Returns the values in the name of a subject or an issuer, by attribute type. */
function namesOf(name: Asn1): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const attribute of members(name).flatMap(members)) {
    const [type, value] = members(attribute);
    if (!value || typeof value.value !== "string") continue;
    names.set(asn1.derToOid(text(type)), value.type === asn1.Type.UTF8 ? fromUtf8(value.value) : value.value);
  }
  return names;
}

/** @throws TypeError if the bytes are not UTF-8 */
function fromUtf8(bytes: string): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, "latin1"));
}

interface Extension {
  readonly id: string;
  readonly value: string;
}

function taxExtension(extensions: readonly Extension[], arc: "5" | "6"): string {
  const extension = extensions.find(({ id }) => TAX_EXTENSION.exec(id)?.[1] === arc);
  return extension ? plainText(extension.value) : "";
}

/** Returns the text in an extension: plain ASCII, or plain ASCII in a DER string (protocol facts, section 1). */
function plainText(value: string): string {
  // A DER string begins with a control character; an address or a TIN never does.
  if ((value.codePointAt(0) ?? 0) >= 0x20) return value;
  try {
    const { type, value: inner } = asn1.fromDer(value);
    if (typeof inner !== "string") return value;
    if (type === asn1.Type.OCTETSTRING) return plainText(inner);
    return type === asn1.Type.UTF8 ? fromUtf8(inner) : inner;
  } catch {
    return value;
  }
}
