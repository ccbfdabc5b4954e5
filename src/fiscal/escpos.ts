/** Turns a receipt into bytes for a receipt printer. */
import { printerText } from "./code-pages.js";
import {
  alignCommand,
  END,
  fontCommand,
  INITIALISE,
  PRINTERS,
  type PrinterPaper,
  qrCommand,
  rasterCommand,
  SINGLE_BYTES,
} from "./escpos-commands.js";
import { COLUMNS, onPaper } from "./journal/on-paper.js";
import { qrModules } from "./qr.js";

/** Ways to print the QR code: the printer draws the code (`command`), or gets it as an image (`raster`). */
export const QR_WAYS = ["command", "raster"] as const;
export type QrWay = (typeof QR_WAYS)[number];

const QUIET_ZONE = 4;

/**
 * Returns the bytes of a receipt. The QR code comes before the last line (protocol facts, section 6).
 * @param journal lines with CRLF, as in the answer
 * @param url content of the QR code: the verification URL
 */
export function escPos(journal: string, url: string, paper: PrinterPaper, qr: QrWay): Uint8Array {
  const { dots, font, columns } = PRINTERS[paper];
  const margin = " ".repeat((columns - COLUMNS) / 2);
  const lines = onPaper(journal.split("\r\n").slice(0, -1)).map((line) => (margin + line).trimEnd());
  return Uint8Array.from([
    ...INITIALISE,
    ...SINGLE_BYTES,
    ...fontCommand(font),
    ...printerText(lines.slice(0, -1)),
    ...qrCode(url, dots, qr),
    ...printerText(lines.slice(-1)),
    ...END,
  ]);
}

function qrCode(url: string, dots: number, way: QrWay): number[] {
  const modules = qrModules(url);
  const side = modules.length + 2 * QUIET_ZONE;
  const module = Math.floor(dots / side);
  // A code that the printer draws has no quiet zone. Empty lines, higher than four modules, make one.
  if (way === "command") {
    const empty = printerText([""]);
    return [...alignCommand("centre"), ...empty, ...qrCommand(url, module), ...empty, ...alignCommand("left")];
  }
  const left = Math.floor((dots - side * module) / 2);
  return rasterCommand(dots, side * module, (x, y) => {
    const [column, row] = [Math.floor((x - left) / module) - QUIET_ZONE, Math.floor(y / module) - QUIET_ZONE];
    return modules[row]?.[column] === true;
  });
}
