/** Draws a receipt as dots of a thermal printer: 203 dpi, and each dot is black or white. */

import { END, INITIALISE, rasterCommand } from "../../fiscal/escpos-commands.js";
import { COLUMNS, onPaper } from "../../fiscal/journal/on-paper.js";
import type { SignedRecord } from "../records/receipts.js";

/** Widths of paper, and the number of dots that a printer can print across each width. A millimetre has 8 dots. */
export const PAPERS = {
  "58mm": { paperMm: 58, dots: 384 },
  "80mm": { paperMm: 80, dots: 576 },
} as const;
export type PaperWidth = keyof typeof PAPERS;
export const DOTS_PER_MM = 8;

export const QUIET_ZONE = 4;
/** Height of a line; its unit is the width of a character. */
export const LINE_HEIGHT = 1.9;
const FONT = "ui-monospace, 'DejaVu Sans Mono', 'Noto Sans Mono', Menlo, Consolas, monospace";

/** The content of a receipt. If `qr` has no rows, no QR code is printed. */
export type Written = Pick<SignedRecord, "journal" | "qr">;

/** Maximum height of a picture in dots. Browsers draw no taller picture. */
const LONGEST = 32_767;

/** Draws a receipt as it is on paper. @returns undefined if the receipt is longer than a picture can be */
export function paperImage({ journal, qr }: Written, paper: PaperWidth): HTMLCanvasElement | undefined {
  const lines = onPaper(journal);
  const width = PAPERS[paper].dots;
  const lineHeight = Math.round((width / COLUMNS) * LINE_HEIGHT);
  const module = moduleDots(qr, width);
  const qrSide = (qr.length + 2 * QUIET_ZONE) * module;
  const height = lines.length * lineHeight + qrSide;
  if (height > LONGEST) return undefined;
  const { canvas, context } = whitePaper(width, height);
  const write = (line: string, y: number) => context.fillText(line, 0, y + lineHeight / 2, width);
  lines.slice(0, -1).forEach((line, i) => void write(line, i * lineHeight));
  write(lines.at(-1) ?? "", height - lineHeight);
  const [left, top] = [Math.floor((width - qrSide) / 2), (lines.length - 1) * lineHeight];
  qr.forEach((row, y) => {
    [...row].forEach((dot, x) => {
      const [column, line] = [x + QUIET_ZONE, y + QUIET_ZONE];
      if (dot === "1") context.fillRect(left + column * module, top + line * module, module, module);
    });
  });
  blackOrWhite(context, width, height);
  return canvas;
}

export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no image could be made"))), "image/png");
  });
}

/** Makes the bytes that print the whole receipt as dots, for printers without Serbian letters. */
export function escPosOf(canvas: HTMLCanvasElement): Blob {
  const { width, height } = canvas;
  const { data } = contextOf(canvas).getImageData(0, 0, width, height);
  const dots = rasterCommand(width, height, (x, y) => data[(y * width + x) * 4] === 0);
  return new Blob([Uint8Array.from([...INITIALISE, ...dots, ...END])]);
}

/** Draws one line in black and white. Width and height are in dots. */
export function linePicture(line: string, width: number, height: number): HTMLCanvasElement {
  const { canvas, context } = whitePaper(width, height);
  context.fillText(line, 0, height / 2, width);
  blackOrWhite(context, width, height);
  return canvas;
}

/** Returns the side of a module of the QR code, in whole dots. */
export function moduleDots(qr: readonly string[], width: number): number {
  return Math.floor(width / (qr.length + 2 * QUIET_ZONE));
}

function whitePaper(width: number, height: number) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = contextOf(canvas);
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.fillStyle = "#000";
  setFont(context, width);
  return { canvas, context };
}

/** Sets the size of the letters so that 40 columns fill the width, whatever font the browser has. */
function setFont(context: CanvasRenderingContext2D, width: number): void {
  context.textBaseline = "middle";
  context.direction = "ltr";
  context.font = `100px ${FONT}`;
  const natural = context.measureText("0".repeat(COLUMNS)).width;
  context.font = `${(100 * width) / natural}px ${FONT}`;
}

/** A thermal printer prints no grey: each dot becomes black or white. */
function blackOrWhite(context: CanvasRenderingContext2D, width: number, height: number): void {
  const image = context.getImageData(0, 0, width, height);
  const { data } = image;
  for (let i = 0; i < data.length; i += 4) {
    const [red = 0, green = 0, blue = 0] = data.subarray(i, i + 3);
    data.fill(0.3 * red + 0.59 * green + 0.11 * blue < 160 ? 0 : 255, i, i + 3);
  }
  context.putImageData(image, 0, 0);
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("this browser cannot draw");
  return context;
}
