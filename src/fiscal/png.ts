/** Makes a black and white PNG (ISO/IEC 15948): one bit for each pixel, compressed by zlib. */
import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const END = chunk("IEND", Buffer.alloc(0));
/** The fastest level of compression. A better search saves almost nothing, because a QR code has few patterns. */
const LEVEL = 1;

/** Width of a module. With 4 pixels, a module is half a byte wide, so two modules fill a byte. */
export const PIXELS_PER_MODULE = 4;

/** Returns the image of a square symbol. @param isDark whether each module is dark, row by row */
export function blackAndWhitePng(isDark: readonly (readonly boolean[])[]): Buffer {
  const side = isDark.length * PIXELS_PER_MODULE;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // Bit depth 1, greyscale. Compression, filter and interlace have their standard value 0.
  header[8] = 1;
  const data = deflateSync(scanLines(isDark), { level: LEVEL });
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", data), END]);
}

/** Returns the lines of the image. Each line has a filter byte (no filter) and the pixels; 1 is white. */
function scanLines(isDark: readonly (readonly boolean[])[]): Buffer {
  const length = 1 + Math.ceil(isDark.length / 2);
  const lines = Buffer.alloc(length * isDark.length * PIXELS_PER_MODULE);
  for (let y = 0; y < isDark.length; y++) {
    const row = isDark[y] ?? [];
    const first = y * PIXELS_PER_MODULE * length;
    for (let x = 0; x < row.length; x += 2) {
      lines[first + 1 + (x >> 1)] = (row[x] ? 0 : 0xf0) | (row[x + 1] === false ? 0x0f : 0);
    }
    for (let copy = 1; copy < PIXELS_PER_MODULE; copy++) {
      lines.copyWithin(first + copy * length, first, first + length);
    }
  }
  return lines;
}

/** Returns a chunk of a PNG: length, type, data and checksum. */
function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
