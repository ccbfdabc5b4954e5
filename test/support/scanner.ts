/** An independent reader of QR codes: ZXing, compiled to WebAssembly. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

const wasmBinary = readFileSync(createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm"));
// Otherwise it would be loaded from the network.
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasmBinary).buffer } });

export interface Pixels {
  /** RGBA. */
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** Texts of the QR codes in an image file or in pixels. */
export async function scan(image: Uint8Array<ArrayBuffer> | Pixels): Promise<string[]> {
  const options = { formats: ["QRCode" as const] };
  type Source = Parameters<typeof readBarcodes>[0];
  // Node has no ImageData; the reader needs only these fields.
  const source = image instanceof Uint8Array ? image : ({ ...image, colorSpace: "srgb" } as unknown as Source);
  const codes = await readBarcodes(source, options);
  return codes.filter(({ isValid }) => isValid).map(({ text }) => text);
}
