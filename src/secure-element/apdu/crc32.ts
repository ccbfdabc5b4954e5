/**
 * Appends and checks the CRC-32 (IEEE) after the data of Sign Invoice: 4 bytes, big endian (protocol facts, section 1).
 */
import { crc32 } from "node:zlib";

export const CRC_BYTES = 4;

export function appendCrc(data: Uint8Array): Uint8Array {
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32BE(crc32(data));
  return Buffer.concat([data, crc]);
}

/** Returns the data without its CRC; undefined if the CRC does not match. */
export function stripCrc(data: Uint8Array): Uint8Array | undefined {
  if (data.length < CRC_BYTES) return undefined;
  const body = data.subarray(0, data.length - CRC_BYTES);
  const crc = Buffer.from(data).readUInt32BE(body.length);
  return crc32(body) === crc ? body : undefined;
}
