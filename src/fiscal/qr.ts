/** The QR code of the verification URL: level L, 4 pixels a module (protocol facts, section 7). */
import omggif from "omggif";
import QRCode from "qrcode";

const PIXELS_PER_MODULE = 4;
/** ISO/IEC 18004 asks for four modules; poor printers need them. */
const QUIET_ZONE_MODULES = 4;

/**
 * For pngjs, which otherwise tries five filters on every line: all but the first line of a module are the one above.
 * Half the time for a fifth more bytes.
 */
const QUICK = { filterType: 2, deflateLevel: 1, deflateStrategy: 0 };

export type QrFormat = "png" | "gif";

/**
 * The image as the answer carries it: a PNG data URI, or the bare base64 of a GIF
 * (protocol facts, section 4, "Switches").
 */
export async function qrCode(url: string, format: QrFormat): Promise<string> {
  return format === "png" ? pngDataUri(url) : gif(url).toString("base64");
}

async function pngDataUri(url: string): Promise<string> {
  const png = await QRCode.toBuffer(url, {
    type: "png",
    errorCorrectionLevel: "L",
    scale: PIXELS_PER_MODULE,
    margin: QUIET_ZONE_MODULES,
    rendererOpts: QUICK,
  });
  return `data:image/png;base64,${png.toString("base64")}`;
}

function gif(url: string): Buffer {
  const { modules } = QRCode.create(url, { errorCorrectionLevel: "L" });
  const side = (modules.size + 2 * QUIET_ZONE_MODULES) * PIXELS_PER_MODULE;
  const pixels = new Uint8Array(side * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const row = Math.floor(y / PIXELS_PER_MODULE) - QUIET_ZONE_MODULES;
      const column = Math.floor(x / PIXELS_PER_MODULE) - QUIET_ZONE_MODULES;
      const inside = row >= 0 && row < modules.size && column >= 0 && column < modules.size;
      if (inside && modules.get(row, column)) pixels[y * side + x] = 1;
    }
  }
  const out = Buffer.alloc(side * side + 1024);
  const writer = new omggif.GifWriter(out, side, side, { palette: [0xffffff, 0x000000] });
  writer.addFrame(0, 0, side, side, Array.from(pixels));
  return out.subarray(0, writer.end());
}
