/** Writes PFX files (PKCS #12, RFC 7292) with a private key and its certificate. */
import { createHash, createHmac, createPrivateKey, X509Certificate } from "node:crypto";
import type { Random } from "../../src/base/random.js";
import { der, integer, NULL, octets, oid, sequence, set, tagged } from "./der.js";

/** Passphrase of PFX files. It is for tests and not a secret. */
export const PFX_PASSPHRASE = "tillseal";

const OID = {
  sha1: "1.3.14.3.2.26",
  data: "1.2.840.113549.1.7.1",
  friendlyName: "1.2.840.113549.1.9.20",
  localKeyId: "1.2.840.113549.1.9.21",
  x509Certificate: "1.2.840.113549.1.9.22.1",
  shroudedKeyBag: "1.2.840.113549.1.12.10.1.2",
  certBag: "1.2.840.113549.1.12.10.1.3",
};

/** Rounds of the hash that makes a key from the passphrase. */
const ROUNDS = 2048;
const SALT_BYTES = 8;
const VERSION_3 = "03";

const bmpString = (text: string) => der(0x1e, utf16(text));
const utf16 = (text: string) => Buffer.from(text, "utf16le").swap16();
const content = (value: Uint8Array) => sequence(oid(OID.data), tagged(0, octets(value)));

/** {@link PFX_PASSPHRASE} encrypts the key and protects the file. @param identity PEM */
export function pfxFile(
  identity: { readonly certificate: string; readonly key: string },
  friendlyName: string,
  random: Random,
): Uint8Array {
  const { raw } = new X509Certificate(identity.certificate);
  const attributes = set(
    sequence(oid(OID.localKeyId), set(octets(createHash("sha1").update(raw).digest()))),
    sequence(oid(OID.friendlyName), set(bmpString(friendlyName))),
  );
  const bag = (id: string, value: Uint8Array) => content(sequence(sequence(oid(id), tagged(0, value), attributes)));
  const key = createPrivateKey(identity.key).export({
    type: "pkcs8",
    format: "der",
    cipher: "aes-256-cbc",
    passphrase: PFX_PASSPHRASE,
  });
  const safe = sequence(
    bag(OID.certBag, sequence(oid(OID.x509Certificate), tagged(0, octets(raw)))),
    bag(OID.shroudedKeyBag, key),
  );
  const salt = random.bytes(SALT_BYTES);
  const mac = createHmac("sha1", macKey(salt)).update(safe).digest();
  const proof = sequence(
    sequence(sequence(oid(OID.sha1), NULL), octets(mac)),
    octets(salt),
    integer(ROUNDS.toString(16)),
  );
  return sequence(integer(VERSION_3), content(safe), proof);
}

/** Derives the key of the file's MAC (RFC 7292, appendix B.2). One hash has all the bytes of the key. */
function macKey(salt: Uint8Array): Uint8Array {
  const MAC_KEY = 3;
  const block = (bytes: Uint8Array) => Buffer.alloc(Math.ceil(bytes.length / 64) * 64, bytes);
  let hash: Uint8Array = Buffer.concat([Buffer.alloc(64, MAC_KEY), block(salt), block(utf16(`${PFX_PASSPHRASE}\0`))]);
  for (let round = 0; round < ROUNDS; round++) hash = createHash("sha1").update(hash).digest();
  return hash;
}
