/**
 * Reads PFX files (PKCS #12, RFC 7292). We use node-forge, because OpenSSL 3 refuses files that are encrypted with RC2.
 * Older programs, which most authorities use, write such files.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createRequire } from "node:module";
import type forge from "node-forge";
import { messageOf } from "../base/thrown.js";

const require = createRequire(import.meta.url);
/** Loads node-forge only when a file is read, because most starts do not need it. */
const nodeForge = () => require("node-forge") as typeof forge;

export class WrongPassphrase extends Error {}

/** @param bytes DER @throws WrongPassphrase; Error that says what cannot be read */
export function readPfx(bytes: Uint8Array, passphrase: string) {
  const bags = open(bytes, passphrase).safeContents.flatMap(({ safeBags }) => safeBags);
  const of = (...types: string[]) => bags.filter(({ type }) => types.includes(type)).map(derOf);
  const { keyBag = "", pkcs8ShroudedKeyBag = "", certBag = "" } = nodeForge().pki.oids;
  return {
    privateKeys: of(keyBag, pkcs8ShroudedKeyBag).map((key) => createPrivateKey({ key, format: "der", type: "pkcs8" })),
    certificates: of(certBag).map((certificate) => new X509Certificate(certificate)),
  };
}

/**
 * Maximum number of iterations for deriving all keys of a file. node-forge does some 20,000 a second, and nothing else
 * runs meanwhile. Windows and OpenSSL write files with 2,000 iterations for each of three keys, Java with 10,000.
 */
const MOST_ITERATIONS = 100_000;

function open(bytes: Uint8Array, passphrase: string): forge.pkcs12.Pkcs12Pfx {
  const parse = () => nodeForge().asn1.fromDer(Buffer.from(bytes).toString("latin1"));
  const iterations = iterationsIn(parse());
  if (iterations > MOST_ITERATIONS) {
    throw new Error(
      `it asks for ${iterations} iterations, and this service does at most ${MOST_ITERATIONS}: write it again with fewer, such as with openssl pkcs12 -export -iter 2048`,
    );
  }
  try {
    return nodeForge().pkcs12.pkcs12FromAsn1(parse(), passphrase);
  } catch (error) {
    const message = messageOf(error);
    if (/MAC could not be verified/.test(message)) throw new WrongPassphrase();
    // PBES2 needs the passphrase in UTF-8, the file's MAC needs it in UTF-16, and node-forge uses one form for both.
    // Therefore try UTF-8 without the MAC.
    const utf8 = nodeForge().util.encodeUtf8(passphrase);
    if (utf8 !== passphrase) return withoutMac(parse(), utf8);
    // The file has no MAC. The passphrase is then wrong if decryption fails.
    throw /decrypt/i.test(message) ? new WrongPassphrase() : error;
  }
}

function withoutMac(file: forge.asn1.Asn1, passphrase: string): forge.pkcs12.Pkcs12Pfx {
  if (Array.isArray(file.value)) file.value = file.value.slice(0, 2);
  try {
    return nodeForge().pkcs12.pkcs12FromAsn1(file, passphrase);
  } catch {
    throw new WrongPassphrase();
  }
}

/**
 * Adds up the iterations that a file asks for. In PKCS #12, a number that follows an octet string (the salt) is a
 * number of iterations, also in a file within the file.
 */
function iterationsIn({ type, value }: forge.asn1.Asn1): number {
  const { Type, fromDer } = nodeForge().asn1;
  if (typeof value === "string") {
    if ((type as number) !== (Type.OCTETSTRING as number)) return 0;
    try {
      return iterationsIn(fromDer(value));
    } catch {
      // These bytes contain no file: they are a salt, or encrypted.
      return 0;
    }
  }
  return value.reduce((sum, item, i) => {
    const follows = value[i - 1]?.type === Type.OCTETSTRING && item.type === Type.INTEGER;
    return (
      sum + (follows ? Number(`0x${Buffer.from(String(item.value), "latin1").toString("hex")}`) : iterationsIn(item))
    );
  }, 0);
}

/** Returns the content of a bag as DER. node-forge parses RSA keys only, and returns other keys unparsed. */
function derOf({ key, cert, asn1 }: forge.pkcs12.Bag): Buffer {
  const content = key
    ? nodeForge().pki.wrapRsaPrivateKey(nodeForge().pki.privateKeyToAsn1(key))
    : cert
      ? nodeForge().pki.certificateToAsn1(cert)
      : asn1;
  return Buffer.from(nodeForge().asn1.toDer(content).getBytes(), "latin1");
}
