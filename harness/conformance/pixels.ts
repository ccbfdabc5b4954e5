/** Reads the picture of a QR code as services send it: a PNG in a data URI, or the base64 of a GIF. */
import omggif from "omggif";
import { PNG } from "pngjs";

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

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Where width and height of a PNG stand (ISO/IEC 15948, 11.2.2). */
const PNG_SIZE_AT = 16;

/** Decodes a picture; what is transparent becomes white. @throws PictureError */
export function pixelsOf(picture: string): Pixels {
  const bytes = Buffer.from(picture.replace(/^data:[^,]*,/, ""), "base64");
  const isPng = bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);
  if (!isPng && bytes.subarray(0, 3).toString("latin1") !== "GIF")
    throw new PictureError("it is neither a PNG nor a GIF in base64");
  try {
    return onWhite(isPng ? pngPixels(bytes) : gifPixels(bytes));
  } catch (error) {
    throw error instanceof PictureError ? error : new PictureError(`the ${isPng ? "PNG" : "GIF"} is damaged`);
  }
}

function gifPixels(bytes: Buffer): Pixels {
  const reader = new omggif.GifReader(bytes);
  const { width, height } = reader;
  requireSide(width, height);
  const data = new Uint8Array(width * height * 4);
  reader.decodeAndBlitFrameRGBA(0, data as unknown as Buffer);
  return { width, height, data };
}

function pngPixels(bytes: Buffer): Pixels {
  requireSide(bytes.readUInt32BE(PNG_SIZE_AT), bytes.readUInt32BE(PNG_SIZE_AT + 4));
  return PNG.sync.read(bytes);
}

function onWhite({ width, height, data }: Pixels): Pixels {
  const alphaAt = (at: number) => (data[at | 3] ?? 0) / 255;
  const flat = (value: number, at: number) => ((at & 3) === 3 ? 255 : 255 + (value - 255) * alphaAt(at));
  return { width, height, data: data.map(flat) };
}

function requireSide(width: number, height: number): void {
  if (width > LARGEST_SIDE || height > LARGEST_SIDE || width === 0 || height === 0) {
    throw new PictureError(`${width} x ${height} pixels are not a picture of a QR code`);
  }
}
