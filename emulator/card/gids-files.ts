/**
 * The files of a GIDS card with one container: its certificate and the reference of its key, in the form that OpenSC's
 * driver reads (Generic Identity Device Specification). Records are little endian, like the structures of Microsoft's
 * minidriver.
 */
import { createPublicKey } from "node:crypto";
import { deflateSync } from "node:zlib";

export const KEY_REFERENCE = 0x81;
/** Numbers of files that everyone may read. The files differ in who may write them. */
const MASTER_EF = 0xa000;
export const USER_EF = 0xa010;
const ADMIN_EF = 0xa012;
/** Number of the file that represents the applet. */
export const APPLET_EF = 0x3fff;
const MASTER_DO = 0xdf1f;
const CARD_ID_DO = 0xdf20;
const CACHE_DO = 0xdf22;
const CONTAINERS_DO = 0xdf23;
const CERTIFICATE_DO = 0xdf24;

const NAME_BYTES = 9;
const RECORD_BYTES = 28;
const CONTAINER_RECORD_BYTES = 86;
const CONTAINER_NAME_BYTES = 80;
/** Flags of the container: it is valid, and it is the default container. */
const CONTAINER_FLAGS = 0x03;
const KEY_BITS = 2048;

/** Contents of the data objects. A key has the numbers of file and data object, such as `A010DF24`. */
export type GidsFiles = ReadonlyMap<string, Uint8Array>;

export function gidsName(file: number, object: number): string {
  return `${file.toString(16)}${object.toString(16)}`.toUpperCase();
}

/** @param certificate X.509 DER */
export function gidsFiles(uid: string, certificate: Uint8Array): GidsFiles {
  const files = [
    { folder: "", name: "cardid", file: ADMIN_EF, object: CARD_ID_DO, content: Buffer.from(uid.padEnd(16), "latin1") },
    { folder: "", name: "cardcf", file: USER_EF, object: CACHE_DO, content: Buffer.alloc(6) },
    { folder: "mscp", name: "cmapfile", file: USER_EF, object: CONTAINERS_DO, content: containerRecord(uid) },
    { folder: "mscp", name: "kxc00", file: USER_EF, object: CERTIFICATE_DO, content: compressed(certificate) },
  ];
  const master = Buffer.alloc(1 + RECORD_BYTES * files.length);
  master[0] = 1;
  for (const [index, { folder, name, file, object }] of files.entries()) {
    const offset = 1 + RECORD_BYTES * index;
    master.write(folder, offset, "latin1");
    master.write(name, offset + NAME_BYTES, "latin1");
    // The two numbers are aligned to four bytes.
    master.writeUInt32LE(object, offset + 20);
    master.writeUInt32LE(file, offset + 24);
  }
  return new Map<string, Uint8Array>([
    [gidsName(MASTER_EF, MASTER_DO), master],
    ...files.map(({ file, object, content }) => [gidsName(file, object), content] as const),
  ]);
}

/** Returns the compressed certificate, after 4 bytes with the form (1) and the length before compression. */
export function compressed(certificate: Uint8Array): Uint8Array {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt16LE(1, 0);
  prefix.writeUInt16LE(certificate.length, 2);
  return Buffer.concat([prefix, deflateSync(certificate)]);
}

/** Returns the record of a container with a key for key exchange. Such a key can sign too. */
function containerRecord(name: string): Uint8Array {
  const record = Buffer.alloc(CONTAINER_RECORD_BYTES);
  record.write(name, 0, "utf16le");
  record[CONTAINER_NAME_BYTES] = CONTAINER_FLAGS;
  record.writeUInt16LE(KEY_BITS, CONTAINER_RECORD_BYTES - 2);
  return record;
}

/** Returns the container's public key: a template with modulus and exponent. @param privateKey PEM */
export function publicKeyTemplate(privateKey: string): Uint8Array {
  const { n = "", e = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const parts = [tlv(0x81, Buffer.from(n, "base64url")), tlv(0x82, Buffer.from(e, "base64url"))];
  return tlv(0x7f49, Buffer.concat(parts));
}

/** Encodes a value as BER-TLV. @param tag one or two bytes long */
export function tlv(tag: number, value: Uint8Array): Uint8Array {
  const { length } = value;
  const head = tag > 0xff ? [tag >> 8, tag & 0xff] : [tag];
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([...head, ...size]), value]);
}
