/** A PDF with one page as wide as the paper, and one image on it (ISO 32000-1, 7.5 and 8.9). */
import { DOTS_PER_MM, PAPERS, type PaperImage, type PaperWidth } from "./paper.js";

const POINTS_PER_MM = 72 / 25.4;
/** Points above and below the image. */
const MARGIN = 12;

export async function pdfOf(image: PaperImage, paper: PaperWidth): Promise<Blob> {
  const pixels = await deflated(image.bits());
  const points = (mm: number) => (mm * POINTS_PER_MM).toFixed(2);
  const { paperMm, dots } = PAPERS[paper];
  const [width, height] = [points(dots / DOTS_PER_MM), points(image.height / DOTS_PER_MM)];
  const left = points((paperMm - dots / DOTS_PER_MM) / 2);
  const pageHeight = (Number(height) + 2 * MARGIN).toFixed(2);
  const draw = `q ${width} 0 0 ${height} ${left} ${MARGIN} cm /Receipt Do Q`;
  return assembled([
    ["<< /Type /Catalog /Pages 2 0 R >>"],
    ["<< /Type /Pages /Kids [3 0 R] /Count 1 >>"],
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${points(paperMm)} ${pageHeight}]`,
      " /Resources << /XObject << /Receipt 5 0 R >> >> /Contents 4 0 R >>",
    ],
    [`<< /Length ${draw.length} >>\nstream\n${draw}\nendstream`],
    [
      `<< /Type /XObject /Subtype /Image /Width ${image.width} /Height ${image.height} /ColorSpace /DeviceGray`,
      ` /BitsPerComponent 1 /Filter /FlateDecode /Length ${pixels.size} >>\nstream\n`,
      pixels,
      "\nendstream",
    ],
  ]);
}

/** Objects by number, and where each of them begins. */
function assembled(objects: readonly (readonly (string | Blob)[])[]): Blob {
  const parts: (string | Blob)[] = ["%PDF-1.4\n"];
  const size = () => new Blob(parts).size;
  const begins = objects.map((object, i) => {
    const begin = size();
    parts.push(`${i + 1} 0 obj\n`, ...object, "\nendobj\n");
    return begin;
  });
  const table = size();
  const entries = begins.map((begin) => `${String(begin).padStart(10, "0")} 00000 n \n`).join("");
  parts.push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`);
  parts.push(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return new Blob(parts, { type: "application/pdf" });
}

/** zlib, as FlateDecode reads it. */
function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Blob> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"))).blob();
}
