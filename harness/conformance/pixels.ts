/** Reads the picture of a QR code as services send it: a PNG in a data URI, or the base64 of a GIF. */
import { inflateSync } from "node:zlib";
import omggif from "omggif";
import { NotTested } from "./case.js";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly data: Uint8Array;
}

/** Error for a picture that is damaged, or that is neither a PNG nor a GIF. */
export class PictureError extends Error {
  override readonly name = "PictureError";
}

/** Largest number of pixels per side. A QR code needs far fewer, because it has at most 177 modules per side. */
const LARGEST_SIDE = 4096;

/** Decodes a picture. @throws PictureError, and NotTested for a kind of PNG that the suite does not read */
export function pixelsOf(picture: string): Pixels {
  const bytes = Buffer.from(picture.replace(/^data:[^,]*,/, ""), "base64");
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return pngPixels(bytes);
  if (bytes.subarray(0, 3).toString("latin1") === "GIF") return gifPixels(bytes);
  throw new PictureError("it is neither a PNG nor a GIF in base64");
}

function gifPixels(bytes: Buffer): Pixels {
  try {
    const reader = new omggif.GifReader(bytes);
    const [width, height] = [reader.width, reader.height];
    requireSide(width, height);
    const data = new Uint8Array(width * height * 4);
    reader.decodeAndBlitFrameRGBA(0, data as unknown as Buffer);
    return { width, height, data };
  } catch (error) {
    throw error instanceof PictureError ? error : new PictureError("the GIF is damaged");
  }
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Number of samples of a pixel, by colour type: grey, RGB, palette, grey and alpha, RGBA (ISO/IEC 15948, 11.2.2). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

function pngPixels(bytes: Buffer): Pixels {
  const parts = chunksOf(bytes);
  const header = parts.get("IHDR");
  const compressed = parts.get("IDAT");
  if (!header || header.length < 13 || !compressed) throw new PictureError("the PNG is cut short");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  requireSide(width, height);
  const [depth = 0, colour = 0, , , interlaced] = header.subarray(8);
  const samples = SAMPLES[colour];
  if (samples === undefined || ![1, 2, 4, 8].includes(depth) || interlaced !== 0) {
    throw new NotTested("the suite cannot read an interlaced PNG or one with 16 bits per sample");
  }
  const lineBytes = Math.ceil((width * samples * depth) / 8);
  const lines = unfiltered(inflated(compressed, height * (lineBytes + 1)), lineBytes, Math.ceil((samples * depth) / 8));
  const palette = parts.get("PLTE") ?? Buffer.alloc(0);
  const largest = 2 ** depth - 1;
  const sample = (y: number, index: number) => {
    const bit = index * depth;
    return ((lines[y * lineBytes + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & largest;
  };
  const data = new Uint8Array(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)];
    const first = sample(y, x * samples);
    const rgb =
      colour === 3
        ? [0, 1, 2].map((part) => palette[first * 3 + part] ?? 0)
        : samples < 3
          ? Array<number>(3).fill(Math.round((first * 255) / largest))
          : [0, 1, 2].map((part) => sample(y, x * samples + part));
    data.set([...rgb, 255], i * 4);
  }
  return { width, height, data };
}

/** Returns the chunks of a PNG by type. Chunks of one type are joined, because a PNG may have several IDAT chunks. */
function chunksOf(bytes: Buffer): Map<string, Buffer> {
  const parts = new Map<string, Buffer>();
  for (let at = PNG_SIGNATURE.length; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const data = bytes.subarray(at + 8, at + 8 + length);
    parts.set(type, Buffer.concat([parts.get(type) ?? Buffer.alloc(0), data]));
    at += 12 + length;
  }
  return parts;
}

function inflated(compressed: Buffer, expected: number): Buffer {
  try {
    return inflateSync(compressed, { maxOutputLength: expected });
  } catch {
    throw new PictureError("the PNG is damaged");
  }
}

function unfiltered(filtered: Buffer, lineBytes: number, pixelBytes: number): Buffer {
  const lines = Buffer.alloc(Math.floor(filtered.length / (lineBytes + 1)) * lineBytes);
  for (let at = 0; at < lines.length; at++) {
    const [x, y] = [at % lineBytes, Math.floor(at / lineBytes)];
    const left = x >= pixelBytes ? (lines[at - pixelBytes] ?? 0) : 0;
    const above = y > 0 ? (lines[at - lineBytes] ?? 0) : 0;
    const corner = x >= pixelBytes && y > 0 ? (lines[at - lineBytes - pixelBytes] ?? 0) : 0;
    const line = y * (lineBytes + 1);
    const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filtered[line] ?? 0];
    if (predicted === undefined) throw new PictureError("the PNG has an unknown filter");
    lines[at] = (filtered[line + 1 + x] ?? 0) + predicted;
  }
  return lines;
}

/** Returns the neighbour whose value is nearest to left + above - corner. */
function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(guess - value)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function requireSide(width: number, height: number): void {
  if (width > LARGEST_SIDE || height > LARGEST_SIDE || width === 0 || height === 0) {
    throw new PictureError(`${width} x ${height} pixels are not a picture of a QR code`);
  }
}
