/** Makes the QR code of the verification URL: level L, 4 pixels for each module (protocol facts, section 7). */
import omggif from "omggif";
import encodeQR from "qr";
import { blackAndWhitePng, PIXELS_PER_MODULE } from "./png.js";

/** Width of the quiet zone. ISO/IEC 18004 requires four modules, and codes from poor printers need a quiet zone. */
const QUIET_ZONE_MODULES = 4;
/**
 * A fixed mask. Signatures look like noise, and for such data all masks are equally good. A comparison of all eight
 * masks would make a code cost one and a half times as much (docs/decisions/README.md).
 */
const MASK = 3;

export type QrFormat = "png" | "gif";

/** Returns which modules are dark, row by row. @param border width of the quiet zone in modules, at least 1 */
function modulesOf(url: string, border: number): boolean[][] {
  return encodeQR(url, "raw", { ecc: "low", encoding: "byte", mask: MASK, border });
}

/** Returns which modules are dark, row by row, without a quiet zone. */
export function qrModules(url: string): readonly (readonly boolean[])[] {
  return modulesOf(url, 1)
    .slice(1, -1)
    .map((row) => row.slice(1, -1));
}

/** Returns a data URI of a PNG, or the bare base64 of a GIF (protocol facts, section 4, "Switches"). */
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
