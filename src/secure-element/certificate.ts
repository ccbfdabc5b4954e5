/** The taxpayer in the card's certificate (protocol facts, section 1, "Certificate subject"). */
import { X509Certificate } from "node:crypto";
import forge from "node-forge";
import type { CardIdentity } from "./secure-element.js";

/** Attribute types of X.520 in the subject. */
export const SUBJECT_OID = {
  commonName: "2.5.4.3",
  serialNumber: "2.5.4.5",
  country: "2.5.4.6",
  district: "2.5.4.8",
  street: "2.5.4.9",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
} as const;

/** In the issuer's organization of every card whose keys are public. */
export const TEST_ISSUER = "tillseal emulator";

/** `1.3.6.1.4.1.49952.<env>.<country>.5` and `.6`. */
const TAX_EXTENSION = /^1\.3\.6\.1\.4\.1\.49952\.\d+\.\d+\.(5|6)$/;

export type CertificateIdentity = Omit<CardIdentity, "appletVersion">;

/**
 * Reads who the card belongs to.
 * @param der X.509 DER
 * @throws Error where the certificate cannot be read, or has no UID or TIN that a receipt could have.
 */
export function readCertificate(der: Uint8Array): CertificateIdentity {
  const bytes = forge.util.createBuffer(Buffer.from(der).toString("latin1"));
  const certificate = forge.pki.certificateFromAsn1(forge.asn1.fromDer(bytes));
  const subject = namesOf(certificate.subject);
  const issuer = namesOf(certificate.issuer);
  const field = (oid: string) => subject.get(oid) ?? "";
  const uid = field(SUBJECT_OID.serialNumber);
  const tin = taxExtension(certificate, "6");
  if (!uid) throw new Error("the subject has no serialNumber, which should hold the UID");
  if (!tin) throw new Error("no extension holds the TIN");
  // What receipts and what the card signs have room for (protocol facts, sections 2 and 3).
  if (!/^[\x21-\x7e]{8}$/.test(uid)) throw new Error("the UID is not 8 characters of ASCII");
  if (!/^[\x20-\x7e]{1,20}$/.test(tin)) throw new Error("the TIN is not 1 to 20 characters of ASCII");
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
    taxAuthorityApi: taxExtension(certificate, "5"),
    issuer: issuer.get(SUBJECT_OID.commonName) ?? issuer.get(SUBJECT_OID.organization) ?? "",
    isTest: issuer.get(SUBJECT_OID.organization)?.includes(TEST_ISSUER) ?? false,
    certificate: der,
    publicKey: new X509Certificate(der).publicKey,
    validFrom: certificate.validity.notBefore.getTime(),
    validTo: certificate.validity.notAfter.getTime(),
  };
}

/** By attribute type. */
function namesOf({ attributes }: forge.pki.Certificate["subject"]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { type, value, valueTagClass } of attributes) {
    if (!type || typeof value !== "string") continue;
    // forge hands out the bytes of a UTF8String, one character each.
    const isUtf8 = Number(valueTagClass) === Number(forge.asn1.Type.UTF8);
    names.set(type, isUtf8 ? forge.util.decodeUtf8(value) : value);
  }
  return names;
}

interface Extension {
  readonly id: string;
  readonly value: string;
}

function taxExtension(certificate: forge.pki.Certificate, arc: "5" | "6"): string {
  const extensions = certificate.extensions as Extension[];
  const found = extensions.find(({ id }) => TAX_EXTENSION.exec(id)?.[1] === arc);
  return found ? plainText(found.value) : "";
}

/** The value is plain ASCII; a card that wraps it in a DER string is read too (protocol facts, section 1). */
function plainText(value: string): string {
  // No address and no TIN begins with a control character, and every DER string does.
  if ((value.codePointAt(0) ?? 0) >= 0x20) return value;
  try {
    const { type, value: inner } = forge.asn1.fromDer(value);
    if (typeof inner !== "string") return value;
    if (type === forge.asn1.Type.OCTETSTRING) return plainText(inner);
    return type === forge.asn1.Type.UTF8 ? forge.util.decodeUtf8(inner) : inner;
  } catch {
    return value;
  }
}
