/** A flame graph: the width of a frame is its time, callees are above their callers, and a title shows the details. */
import { html } from "../../src/http/html.js";
import type { Frame } from "./flame.js";

const WIDTH = 1600;
const LINE = 16;
/** Narrower frames are left out. */
const NARROWEST = 0.5;
const LETTER = 6.2;

interface Box {
  readonly frame: Frame;
  readonly x: number;
  readonly depth: number;
  readonly width: number;
}

export function svgOf(root: Frame): string {
  const boxes = boxesOf(root, 0, 0, WIDTH / root.time);
  const height = (Math.max(...boxes.map(({ depth }) => depth)) + 1) * LINE;
  const parts = boxes.map((box) => partOf(box, height, root.time));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="monospace" font-size="11">
${parts.join("\n")}
</svg>
`;
}

/** @param scale pixels a microsecond */
function boxesOf(frame: Frame, x: number, depth: number, scale: number): Box[] {
  const width = frame.time * scale;
  if (width < NARROWEST) return [];
  let at = x;
  const callees = frame.callees
    .toSorted((a, b) => b.time - a.time)
    .flatMap((callee) => {
      const boxes = boxesOf(callee, at, depth + 1, scale);
      at += callee.time * scale;
      return boxes;
    });
  return [{ frame, x, depth, width }, ...callees];
}

function partOf({ frame, x, depth, width }: Box, height: number, all: number): string {
  const y = height - (depth + 1) * LINE;
  const colour = `hsl(${frame.name.includes("node_modules") ? 200 : frame.name.includes("dist/") ? 20 : 90} 70% 75%)`;
  const share = `${html(frame.name)}, ${((100 * frame.time) / all).toFixed(1)} %`;
  const text = html(frame.name.slice(0, Math.floor(width / LETTER)));
  const at = `x="${x.toFixed(1)}" y="${y}"`;
  return `<g><title>${share}</title><rect ${at} width="${width.toFixed(1)}" height="${LINE - 1}" fill="${colour}"/><text x="${(x + 2).toFixed(1)}" y="${y + 11}">${text}</text></g>`;
}
