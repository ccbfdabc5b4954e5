/** Commands of receipt printers: Epson's ESC/POS, as of other makers. No I/O, because the browser uses this file. */

const ESC = 0x1b;
const FS = 0x1c;
const GS = 0x1d;

/** Number of dots across the paper at 203 dpi, and the font with which 40 columns fit on the paper. */
export const PRINTERS = {
  "58mm": { dots: 384, font: "B", columns: 42 },
  "80mm": { dots: 576, font: "A", columns: 48 },
} as const;
export type PrinterPaper = keyof typeof PRINTERS;

export const INITIALISE: readonly number[] = [ESC, 0x40];
/** Command for printers of the Chinese market, which read two bytes as one character until they get it. */
export const SINGLE_BYTES: readonly number[] = [FS, 0x2e];
/** Command that feeds four lines, and cuts the paper if the printer has a cutter. */
export const END: readonly number[] = [ESC, 0x64, 4, GS, 0x56, 0x42, 0];

export const fontCommand = (font: "A" | "B"): readonly number[] => [ESC, 0x4d, font === "A" ? 0 : 1];
export const alignCommand = (where: "left" | "centre"): readonly number[] => [ESC, 0x61, where === "left" ? 0 : 1];

/** Returns `GS ( k`: the printer draws a QR code, model 2, level L. @param module width of a module, 1 to 16 dots */
export function qrCommand(url: string, module: number): number[] {
  const data = [...url].map((character) => character.charCodeAt(0));
  const of = (...parameters: number[]) => [
    GS,
    0x28,
    0x6b,
    parameters.length & 0xff,
    parameters.length >> 8,
    ...parameters,
  ];
  return [
    ...of(0x31, 0x41, 0x32, 0),
    ...of(0x31, 0x43, module),
    ...of(0x31, 0x45, 0x30),
    ...of(0x31, 0x50, 0x30, ...data),
    ...of(0x31, 0x51, 0x30),
  ];
}

/** Number of rows in one command. A command with more rows may not fit into a small printer's memory. */
const BAND = 256;

/** Returns `GS v 0`, which prints a raster image. @param width in dots @param isBlack 0, 0 is the top left dot */
export function rasterCommand(width: number, height: number, isBlack: (x: number, y: number) => boolean): number[] {
  const rowBytes = Math.ceil(width / 8);
  const bytes: number[] = [];
  for (let top = 0; top < height; top += BAND) {
    const rows = Math.min(BAND, height - top);
    bytes.push(GS, 0x76, 0x30, 0, rowBytes & 0xff, rowBytes >> 8, rows & 0xff, rows >> 8);
    for (let y = top; y < top + rows; y++) {
      for (let left = 0; left < rowBytes * 8; left += 8) {
        let byte = 0;
        for (let bit = 0; bit < 8; bit++) if (left + bit < width && isBlack(left + bit, y)) byte |= 0x80 >> bit;
        bytes.push(byte);
      }
    }
  }
  return bytes;
}
