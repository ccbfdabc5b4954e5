/** Certificates of cards whose taxpayers differ from the emulated ones. */
import forge from "node-forge";
import { expect, it } from "vitest";
import { readCertificate } from "../../src/secure-element/certificate.js";
import { makeCard } from "../support/emulated-card.js";

const KEYS = forge.pki.rsa.generateKeyPair({ bits: 1024, e: 0x10001 });
const { Type, Class } = forge.asn1;
const T61STRING = 20 as forge.asn1.Type;

/** @param tin bytes of its extension's value. @param address the taxpayer's address with its tag */
function certificate(
  tin: string,
  address: [value: string, tag: forge.asn1.Type] = ["Street 1", Type.UTF8],
  uid = "AAAAAAAA",
  issuer: readonly (readonly [type: string, value: string])[] = [["2.5.4.3", "Test"]],
) {
  const made = forge.pki.createCertificate();
  made.publicKey = KEYS.publicKey;
  const valueTagClass = address[1] as unknown as forge.asn1.Class;
  made.setSubject([
    { type: "2.5.4.5", value: forge.util.encodeUtf8(uid) },
    { type: "2.5.4.9", value: address[0], valueTagClass },
  ]);
  made.setIssuer(issuer.map(([type, value]) => ({ type, value })));
  made.setExtensions([
    { id: "1.3.6.1.4.1.49952.1.1.5", value: "https://api.test/" },
    { id: "1.3.6.1.4.1.49952.1.1.6", value: tin },
  ]);
  made.sign(KEYS.privateKey, forge.md.sha256.create());
  return Buffer.from(forge.asn1.toDer(forge.pki.certificateToAsn1(made)).getBytes(), "latin1");
}

function der(type: forge.asn1.Type, value: string): string {
  return forge.asn1.toDer(forge.asn1.create(Class.UNIVERSAL, type, false, value)).getBytes();
}

it.each([
  ["plain", "RS101134702"],
  ["a UTF8String", der(Type.UTF8, "RS101134702")],
  ["a PrintableString", der(Type.PRINTABLESTRING, "RS101134702")],
  ["an IA5String", der(Type.IA5STRING, "RS101134702")],
  ["a T61String", der(T61STRING, "RS101134702")],
  ["a BMPString", der(Type.BMPSTRING, "RS101134702")],
  ["an OCTET STRING", der(Type.OCTETSTRING, "RS101134702")],
  ["a UTF8String in an OCTET STRING", der(Type.OCTETSTRING, der(Type.UTF8, "RS101134702"))],
])("the certificate of a card has the TIN in the form %s", (_form, value) => {
  expect(readCertificate(certificate(value)).taxpayer.tin).toBe("RS101134702");
});

it("the certificate of a card has addresses in UTF-8 and in UTF-16", () => {
  const address = (value: string, tag: forge.asn1.Type) =>
    readCertificate(certificate("RS1", [value, tag])).taxpayer.address;
  expect(address("Ћирилова 1", Type.UTF8)).toBe("Ћирилова 1");
  expect(address("Ћирилова 1", Type.BMPSTRING)).toBe("Ћирилова 1");
});

it("the certificate of a card names its issuer, and is a test card's only when the emulator's CA issued it", () => {
  const issuedBy = (...issuer: [type: string, value: string][]) => {
    const { issuer: name, isTest } = readCertificate(certificate("RS1", undefined, undefined, issuer));
    return [name, isTest];
  };
  expect(issuedBy(["2.5.4.3", "Issuing CA"], ["2.5.4.10", "Tax Authority"])).toEqual(["Issuing CA", false]);
  expect(issuedBy(["2.5.4.10", "Tax Authority"])).toEqual(["Tax Authority", false]);
  const { issuer, isTest } = readCertificate(makeCard().certificate);
  expect([issuer, isTest]).toEqual(["tillseal test issuing CA", true]);
});

it.each(["AAAAAAA", "AAAAAAAAA", "АААААААА"])(
  "the certificate of a card with the UID %j is refused before a sale",
  (uid) => {
    expect(() => readCertificate(certificate("RS1", ["Street 1", Type.UTF8], uid))).toThrow("UID");
  },
);

it.each(["", "РС101134702", "RS1\u0000", "1".repeat(21)])(
  "the certificate of a card with the TIN %j is refused before a sale",
  (tin) => {
    expect(() => readCertificate(certificate(forge.util.encodeUtf8(tin)))).toThrow("TIN");
  },
);
