/** A receipt as a picture (SVG): its text, and its QR code in the place where a printer puts it. */
import { qrModules } from "../../src/fiscal/qr.js";
import { html } from "../../src/http/html.js";
import type { SignedReceipt } from "./session.js";

/** Sizes in units of the picture. */
const LINE = 14;
const CHARACTER = 7.2;
const MARGIN = 12;
const COLUMNS = 40;
const QR_SIDE = 180;
const QUIET = 4;

/** The line below which a receipt has no more text; the QR code stands above it. */
const END_LINE = /^=+.*(КРАЈ|KRAJ|END)/i;

/** @returns undefined if the answer had no text */
export function receiptPicture({ journal, verificationUrl }: SignedReceipt): string | undefined {
  if (journal === undefined) return undefined;
  const lines = journal.trimEnd().split(/\r?\n/);
  const end = lines.findIndex((line) => END_LINE.test(line));
  const above = end < 0 ? lines : lines.slice(0, end);
  const below = end < 0 ? [] : lines.slice(end);
  const columns = Math.max(COLUMNS, ...lines.map((line) => line.length));
  const width = columns * CHARACTER + 2 * MARGIN;
  const qrTop = MARGIN + above.length * LINE + QUIET;
  const qrHeight = verificationUrl === undefined ? 0 : QR_SIDE + 2 * QUIET;
  const height = qrTop + qrHeight + below.length * LINE + MARGIN;
  const parts = [
    text(above, MARGIN),
    verificationUrl === undefined ? "" : code(verificationUrl, (width - QR_SIDE) / 2, qrTop),
    text(below, qrTop + qrHeight),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"><rect width="100%" height="100%" fill="white"/>${parts.join("")}</svg>`;
}

function text(lines: readonly string[], top: number): string {
  const style = 'font-family="ui-monospace, monospace" font-size="12" fill="black" xml:space="preserve"';
  const rows = lines.map(
    (line, i) => `<text x="${MARGIN}" y="${top + (i + 1) * LINE - 3}" ${style}>${html(line)}</text>`,
  );
  return rows.join("");
}

/** One path for all dark modules: a rectangle for each would be ten times as large. */
function code(url: string, left: number, top: number): string {
  const modules = qrModules(url);
  const side = QR_SIDE / modules.length;
  const path = modules.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return `<path transform="translate(${left} ${top}) scale(${side})" d="${path.join("")}" fill="black" shape-rendering="crispEdges"/>`;
}
