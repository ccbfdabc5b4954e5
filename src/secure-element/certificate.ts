/** Reads the taxpayer from the card's certificate (protocol facts, section 1, "Certificate subject"). */
import { X509Certificate } from "node:crypto";
// Node's toLegacyObject leaves node:tls without createSecureContext in this process, unless node:tls is loaded before.
import "node:tls";
import type { CardIdentity } from "./secure-element.js";
import { tlvFields } from "./tlv.js";

/** Name of the organization that issues every card with public test keys. */
export const TEST_ISSUER = "tillseal emulator";

/** The identifiers of two extensions in DER: `1.3.6.1.4.1.49952.<env>.<country>.5` (authority's API) and `.6` (TIN). */
const TAX_EXTENSION = /^2b06010401838620(?:(?:[89a-f].)*[0-7].){2}0([56])$/;
const TAG = { octetString: 0x04, identifier: 0x06, bmpString: 0x1e };
const CONSTRUCTED = 0x20;

export type CertificateIdentity = Omit<CardIdentity, "appletVersion">;

/** @param der X.509 DER @throws Error if it cannot be read, or has no UID or TIN that fits a receipt */
export function readCertificate(der: Uint8Array): CertificateIdentity {
  const certificate = new X509Certificate(der);
  const { publicKey } = certificate;
  if (publicKey.asymmetricKeyType !== "rsa") throw new Error("its key is not an RSA key");
  const { subject, issuer, valid_from: from, valid_to: to } = certificate.toLegacyObject();
  const [validFrom, validTo] = [Date.parse(from), Date.parse(to)];
  if (Number.isNaN(validFrom) || Number.isNaN(validTo)) throw new Error("it has no validity period");
  const extensions = taxExtensions(der);
  const uid = lastOf(subject, "serialNumber");
  const tin = extensions.get("6") ?? "";
  if (!uid) throw new Error("the subject has no serialNumber, which should be the UID");
  if (!tin) throw new Error("no extension contains the TIN");
  // Receipts and the signing request limit the lengths of UID and TIN (protocol facts, sections 2 and 3).
  if (!/^[\x21-\x7e]{8}$/.test(uid)) throw new Error("the UID is not 8 characters of ASCII");
  if (!/^[\x20-\x7e]{1,20}$/.test(tin)) throw new Error("the TIN is not 1 to 20 characters of ASCII");
  const issuedBy = lastOf(issuer, "O");
  return {
    uid,
    taxpayer: {
      tin,
      businessName: lastOf(subject, "O"),
      locationName: lastOf(subject, "OU"),
      address: lastOf(subject, "street"),
      district: lastOf(subject, "ST"),
    },
    country: lastOf(subject, "C"),
    taxAuthorityApi: extensions.get("5") ?? "",
    issuer: lastOf(issuer, "CN") || issuedBy,
    isTest: issuedBy.includes(TEST_ISSUER),
    certificate: der,
    publicKey,
    validFrom,
    validTo,
  };
}

/** Returns the last value of an attribute in the name of a subject or an issuer. Node gives no name with a bit string. */
function lastOf(name: object | undefined, attribute: string): string {
  const values: unknown = Reflect.get(Object(name), attribute);
  return String([values ?? ""].flat().at(-1));
}

/** Returns the texts of the extensions with the tax authority's identifiers, by the end of the identifier. */
function taxExtensions(der: Uint8Array): ReadonlyMap<string, string> {
  const fields = [...tlvFields(der)];
  const [first, last] = [fields[0], fields.at(-1)];
  const arc =
    first?.tag === TAG.identifier ? TAX_EXTENSION.exec(Buffer.from(first.value).toString("hex"))?.[1] : undefined;
  if (arc !== undefined && last) return new Map([[arc, plainText(last.value)]]);
  const constructed = fields.filter(({ tag }) => (tag & CONSTRUCTED) !== 0);
  return new Map(constructed.flatMap(({ value }) => [...taxExtensions(value)]));
}

/** Returns the text in an extension: plain ASCII, or plain ASCII in a DER string (protocol facts, section 1). */
function plainText(bytes: Uint8Array): string {
  const [inner] = tlvFields(bytes);
  // A DER string begins with a control character; an address or a TIN never does.
  if (!inner || (bytes[0] ?? 0) >= 0x20) return Buffer.from(bytes).toString("latin1");
  if (inner.tag === TAG.octetString) return plainText(inner.value);
  return new TextDecoder(inner.tag === TAG.bmpString ? "utf-16be" : "utf-8").decode(inner.value);
}
