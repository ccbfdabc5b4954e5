/** Draws a receipt as a picture (SVG): its text, with the QR code in the place where a printer puts it. */
import { qrModules } from "../../src/fiscal/qr.js";
import { html } from "../../src/http/html.js";

export interface PrintedReceipt {
  readonly journal?: string;
  readonly verificationUrl?: string;
}

/** Height of a line. This size and the next ones are in units of the picture. */
const LINE = 14;
const CHARACTER = 7.2;
const MARGIN = 12;
const COLUMNS = 40;
const QR_SIDE = 180;
const QUIET = 4;

/** Matches the end line of a receipt. The QR code stands above this line. */
const END_LINE = /^=+.*(КРАЈ|KRAJ|END)/i;

/** Draws a receipt. @returns SVG, or undefined if the answer had no text of the receipt */
export function receiptPicture(receipt: PrintedReceipt): string | undefined {
  const { journal } = receipt;
  // Another maker's service may answer anything.
  if (typeof journal !== "string") return undefined;
  const verificationUrl = typeof receipt.verificationUrl === "string" ? receipt.verificationUrl : undefined;
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

/** Draws the QR code as one path: a line for each run of dark modules. A rectangle for each module would be far larger. */
function code(url: string, left: number, top: number): string {
  const modules = qrModules(url);
  const side = QR_SIDE / modules.length;
  const runs = modules.flatMap((row, y) => {
    const line = row.map((dark) => (dark ? "#" : " ")).join("");
    return [...line.matchAll(/#+/g)].map(({ 0: { length }, index }) => `M${index} ${y}h${length}`);
  });
  return `<path transform="translate(${left} ${top + side / 2}) scale(${side})" d="${runs.join("")}" stroke="black" shape-rendering="crispEdges"/>`;
}
