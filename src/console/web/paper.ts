/** A receipt in the dots of a thermal printer: 203 dpi, black or white. */
import type { SignedRecord } from "../records.js";
import { COLUMNS, onPaper } from "./lines.js";

/** What is printed on, and how much of it a printer reaches: 8 dots a millimetre. */
export const PAPERS = {
  "58mm": { paperMm: 58, dots: 384 },
  "80mm": { paperMm: 80, dots: 576 },
} as const;
export type PaperWidth = keyof typeof PAPERS;
export const DOTS_PER_MM = 8;

const QUIET_ZONE = 4;
/** Of the height of a character to its width. */
const LINE_HEIGHT = 1.9;
const FONT = "ui-monospace, 'DejaVu Sans Mono', 'Noto Sans Mono', Menlo, Consolas, monospace";

export class PaperImage {
  constructor(private readonly canvas: HTMLCanvasElement) {}

  get width(): number {
    return this.canvas.width;
  }

  get height(): number {
    return this.canvas.height;
  }

  png(): Promise<Blob> {
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no image could be made"))), "image/png");
    });
  }

  /** A bit a dot, 1 is white, rows filled up to whole bytes. */
  bits(): Uint8Array<ArrayBuffer> {
    const { width, height } = this;
    const { data } = contextOf(this.canvas).getImageData(0, 0, width, height);
    const rowBytes = Math.ceil(width / 8);
    const bits = new Uint8Array(rowBytes * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if ((data[(y * width + x) * 4] ?? 0) === 0) continue;
        const at = y * rowBytes + (x >> 3);
        bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7));
      }
    }
    return bits;
  }
}

/** Dots; browsers draw no longer picture. */
const LONGEST = 32_767;

/** Undefined where the receipt is longer than a picture can be. */
export function paperImage(signed: Pick<SignedRecord, "journal" | "qr">, paper: PaperWidth): PaperImage | undefined {
  const { qr } = signed;
  const journal = onPaper(signed.journal);
  const width = PAPERS[paper].dots;
  const lineHeight = Math.round((width / COLUMNS) * LINE_HEIGHT);
  // Whole dots a module: a printer has no others.
  const module = Math.floor(width / (qr.length + 2 * QUIET_ZONE));
  const qrSide = (qr.length + 2 * QUIET_ZONE) * module;
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = journal.length * lineHeight + qrSide;
  if (canvas.height > LONGEST) return undefined;
  const context = contextOf(canvas);
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, canvas.height);
  context.fillStyle = "#000";
  setFont(context, width);
  const write = (line: string, y: number) => context.fillText(line, 0, y + lineHeight / 2, width);
  journal.slice(0, -1).forEach((line, i) => void write(line, i * lineHeight));
  write(journal.at(-1) ?? "", canvas.height - lineHeight);
  const [left, top] = [Math.floor((width - qrSide) / 2), (journal.length - 1) * lineHeight];
  qr.forEach((row, y) => {
    [...row].forEach((dot, x) => {
      const [column, line] = [x + QUIET_ZONE, y + QUIET_ZONE];
      if (dot === "1") context.fillRect(left + column * module, top + line * module, module, module);
    });
  });
  blackOrWhite(context, width, canvas.height);
  return new PaperImage(canvas);
}

/** The size at which 40 columns fill the width, whatever the font. */
function setFont(context: CanvasRenderingContext2D, width: number): void {
  context.textBaseline = "middle";
  context.direction = "ltr";
  context.font = `100px ${FONT}`;
  const natural = context.measureText("0".repeat(COLUMNS)).width;
  context.font = `${(100 * width) / natural}px ${FONT}`;
}

/** A thermal printer knows no grey, and what it makes of it is not pretty. */
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
