/** The QR code of the verification URL: level L, 4 pixels a module (protocol facts, section 7). */
import omggif from "omggif";
import encodeQR from "qr";
import { blackAndWhitePng, PIXELS_PER_MODULE } from "./png.js";

/** ISO/IEC 18004 requires four modules; poor printers need them. */
const QUIET_ZONE_MODULES = 4;
/**
 * A fixed mask: for data that look like noise, as signatures do, all masks are equally good. Comparing all eight costs
 * half as much again (decision 0014).
 */
const MASK = 3;

export type QrFormat = "png" | "gif";

/** Which modules are dark, row by row. @param border modules of quiet zone on each side, at least 1 */
function modulesOf(url: string, border: number): boolean[][] {
  return encodeQR(url, "raw", { ecc: "low", encoding: "byte", mask: MASK, border });
}

/** Which modules are dark, row by row, without a quiet zone. */
export function qrModules(url: string): readonly (readonly boolean[])[] {
  return modulesOf(url, 1)
    .slice(1, -1)
    .map((row) => row.slice(1, -1));
}

/** The image in the form of the answer: a PNG data URI, or the bare base64 of a GIF (protocol facts, section 4, "Switches"). */
export function qrCode(url: string, format: QrFormat): string {
  const modules = modulesOf(url, QUIET_ZONE_MODULES);
  if (format === "gif") return gif(modules).toString("base64");
  return `data:image/png;base64,${blackAndWhitePng(modules).toString("base64")}`;
}

function gif(modules: readonly (readonly boolean[])[]): Buffer {
  const side = modules.length * PIXELS_PER_MODULE;
  const pixels = new Uint8Array(side * side);
  for (let y = 0; y < side; y++) {
    const row = modules[Math.floor(y / PIXELS_PER_MODULE)];
    for (let x = 0; x < side; x++) if (row?.[Math.floor(x / PIXELS_PER_MODULE)]) pixels[y * side + x] = 1;
  }
  const out = Buffer.alloc(side * side + 1024);
  const writer = new omggif.GifWriter(out, side, side, { palette: [0xffffff, 0x000000] });
  writer.addFrame(0, 0, side, side, Array.from(pixels));
  return out.subarray(0, writer.end());
}
