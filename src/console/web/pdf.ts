/**
 * Makes a PDF of a receipt, as wide as the printer's paper. Its text can be searched and copied, and its QR code
 * consists of filled squares. jsPDF and the font are loaded with the first file (docs/decisions/README.md).
 */
import fontAddress from "dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf?url";
import type { jsPDF } from "jspdf";
import { COLUMNS, onPaper } from "../../fiscal/journal/on-paper.js";
import {
  DOTS_PER_MM,
  LINE_HEIGHT,
  linePicture,
  moduleDots,
  PAPERS,
  type PaperWidth,
  QUIET_ZONE,
  type Written,
} from "./paper.js";

const POINTS_PER_MM = 72 / 25.4;
const POINTS_PER_DOT = POINTS_PER_MM / DOTS_PER_MM;
/** Space above and below the text, in points. */
const MARGIN = 12;
/** Maximum height of a page in points. A page of PDF 1.x has no more than 14,400 points (ISO 32000-1, annex C). */
const LONGEST_PAGE = 14_000;
/** DejaVu Sans Mono: width of a character in ems, and how far its base line is below the middle of a line. */
const ADVANCE = 0.602;
const BASE_LINE = 0.3;
const FONT = "DejaVuSansMono";
/**
 * Matches lines whose characters the font has and that need no shaping. Any other line becomes a picture, with its text
 * behind the picture.
 */
const WRITTEN = /^[\u0020-\u024f\u0370-\u03ff\u0400-\u045f\u0490\u0491\u2010-\u2027\u2030-\u203a\u20ac\u2116\u2122]*$/;

export async function pdfOf({ journal, qr }: Written, paper: PaperWidth, title: string): Promise<Blob> {
  const [{ jsPDF: Document }, font] = await Promise.all([import("jspdf"), fontBytes()]);
  const { paperMm, dots } = PAPERS[paper];
  const width = dots * POINTS_PER_DOT;
  const left = (paperMm * POINTS_PER_MM - width) / 2;
  const lineHeight = (width / COLUMNS) * LINE_HEIGHT;
  const parts = [...partsOf(onPaper(journal), qr, dots, lineHeight)];
  const pages = pagesOf(parts);
  const size = (page: readonly Part[]) => [paperMm * POINTS_PER_MM, heightOf(page) + 2 * MARGIN];
  const document = new Document({
    unit: "pt",
    ...pageOf(size(pages[0] ?? [])),
    compress: true,
    putOnlyUsedFonts: true,
  });
  document.setProperties({ title });
  document.addFileToVFS(`${FONT}.ttf`, font);
  document.addFont(`${FONT}.ttf`, FONT, "normal");
  document.setFont(FONT);
  document.setFontSize(width / COLUMNS / ADVANCE);
  for (const [i, page] of pages.entries()) {
    const { format, orientation } = pageOf(size(page));
    if (i > 0) document.addPage(format, orientation);
    let top = MARGIN;
    for (const part of page) {
      if ("line" in part) writeLine(document, part.line, { left, top, width, height: part.height, dots });
      else drawQr(document, qr, { left, top, width, dots });
      top += part.height;
    }
  }
  return document.output("blob");
}

type Part = { readonly height: number } & ({ readonly line: string } | { readonly qr: true });

/**
 * Yields the parts of a receipt in their order. The QR code is printed before the last line (protocol facts, section
 * 6).
 */
function* partsOf(lines: readonly string[], qr: readonly string[], dots: number, lineHeight: number): Iterable<Part> {
  for (const line of lines.slice(0, -1)) yield { line, height: lineHeight };
  const side = (qr.length + 2 * QUIET_ZONE) * moduleDots(qr, dots) * POINTS_PER_DOT;
  if (qr.length > 0) yield { qr: true, height: side };
  for (const line of lines.slice(-1)) yield { line, height: lineHeight };
}

function pagesOf(parts: readonly Part[]): Part[][] {
  const pages: Part[][] = [[]];
  for (const part of parts) {
    const page = pages.at(-1) ?? [];
    if (heightOf(page) + part.height <= LONGEST_PAGE) page.push(part);
    else pages.push([part]);
  }
  return pages;
}

const heightOf = (page: readonly Part[]) => page.reduce((sum, { height }) => sum + height, 0);

/** Returns the format with its orientation, because jsPDF swaps the sides of a page that do not fit the orientation. */
function pageOf(format: number[]) {
  const [width = 0, height = 0] = format;
  return { format, orientation: width > height ? ("landscape" as const) : ("portrait" as const) };
}

interface PdfPlace {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly dots: number;
}

function writeLine(document: jsPDF, line: string, place: PdfPlace & { readonly height: number }): void {
  const { left, top, width, height, dots } = place;
  if (line.trim() === "") return;
  const baseLine = top + height / 2 + BASE_LINE * document.getFontSize();
  if (WRITTEN.test(line)) {
    document.text(line, left, baseLine);
    return;
  }
  const dotHeight = Math.round(height / POINTS_PER_DOT);
  document.addImage(linePicture(line, dots, dotHeight), "PNG", left, top, width, height);
  // A PDF reader copies this text instead of the invisible spaces (ISO 32000-1, 14.9.4).
  write(document, `/Span <</ActualText <${utf16(line)}>>> BDC`);
  document.text(" ".repeat(COLUMNS), left, baseLine, { renderingMode: "invisible" });
  write(document, "EMC");
}

/** Writes PDF operators. jsPDF has no methods for these operators; its plug-ins write them in the same way. */
function write(document: jsPDF, operators: string): void {
  (document.internal as unknown as { write: (text: string) => void }).write(operators);
}

function utf16(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, "0"));
  return `feff${units.join("")}`;
}

/** Draws the QR code as one path, so that no thin line is visible between two modules. */
function drawQr(document: jsPDF, qr: readonly string[], { left, top, width, dots }: PdfPlace): void {
  const module = moduleDots(qr, dots) * POINTS_PER_DOT;
  const [x0, y0] = [left + (width - qr.length * module) / 2, top + QUIET_ZONE * module];
  const pageHeight = document.internal.pageSize.getHeight();
  const point = (value: number) => value.toFixed(3);
  const squares = qr.flatMap((row, y) =>
    [...row.matchAll(/1+/g)].map(({ index, 0: run }) =>
      [x0 + index * module, pageHeight - y0 - (y + 1) * module, run.length * module, module].map(point).join(" "),
    ),
  );
  write(document, `${squares.map((square) => `${square} re`).join("\n")}\nf`);
}

let font: Promise<string> | undefined;

/**
 * Loads the font as a text with one character for each byte, the form in which jsPDF takes files. After a failed
 * download, the next call downloads the font again.
 */
function fontBytes(): Promise<string> {
  font ??= loadFont();
  font.catch(() => {
    font = undefined;
  });
  return font;
}

async function loadFont(): Promise<string> {
  const answer = await fetch(fontAddress);
  if (!answer.ok) throw new Error(`${fontAddress}: ${answer.status}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const part = 8192;
  const parts = Array.from({ length: Math.ceil(bytes.length / part) }, (_, i) =>
    String.fromCharCode(...bytes.subarray(i * part, (i + 1) * part)),
  );
  return parts.join("");
}
