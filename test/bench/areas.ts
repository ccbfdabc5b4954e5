/** Which part of a sale a sample of the profiler belongs to. */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload, type SourceMapping } from "node:module";
import { fileURLToPath } from "node:url";
import type { Profile } from "./flame.js";

type CallFrame = Profile["nodes"][number]["callFrame"];

/** The first match of a place, written `source:function`, wins. A place without a match, such as Node's code, counts for its caller. */
const AREAS: readonly (readonly [area: string, place: RegExp])[] = [
  ["garbage collector", /^:\(garbage collector\)/],
  ["native code outside of JavaScript", /^:\(program\)/],
  // The traffic log runs while an answer is written.
  ["HTTP in and out", /^node:(_http_|net:|internal\/(stream_base|streams\/(?!lazy)))/],
  ["QR code", /\/src\/(fiscal\/qr|http\/qr-)/],
  ["hash of the request", /\/fiscalizer\.ts:hashOf/],
  ["parse and validate", /\/src\/http\/(body|read-invoice|normalise-invoice)\.ts|\/src\/schema\/|\/dist\/prepared\//],
  ["journal of the receipt", /\/src\/fiscal\/journal\//],
  ["verify the signature", /\/src\/fiscal\/signature\.ts:isProven/],
  ["tax and intent", /\/src\/fiscalizer\/(make-intent|intent)\.ts|\/src\/fiscal\/tax\.ts/],
  ["answer and its JSON", /\/src\/fiscalizer\/(answer|writes|stored-answer)\.ts|\/src\/fiscal\/verification-url/],
  ["protocol of the sale", /\/src\/fiscalizer\//],
  ["checksums", /\/src\/ledger\/(checksum|stored-entry)\.ts/],
  ["SQLite", /\/src\/ledger\//],
  ["APDU client", /\/src\/secure-element\//],
  ["card: encryption of internal data", /\/emulator\/tax-authority\/rsa-block\.ts/],
  ["card: everything else on this thread", /\/emulator\/card\//],
  ["traffic log", /\/src\/traffic\/|\/emulator\/world\/(journal|mask|watch-answer)/],
  ["HTTP in and out", /\/src\/http\//],
  ["everything else of ours", /\/(src|emulator)\//],
];
const OF_NODE = "HTTP in and out";

/**
 * Milliseconds of each area, the largest first, without idle time.
 * @param from µs on the profile's clock
 */
export function areasOf(
  { nodes, samples, timeDeltas, startTime }: Profile,
  from: number,
): [area: string, ms: number][] {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const places = placesOf(nodes);
  const areas = new Map<number, string>();
  const areaOf = (id: number): string => {
    const known = areas.get(id);
    if (known !== undefined) return known;
    const place = places.get(id) ?? "";
    const parent = parents.get(id);
    const area = AREAS.find(([, pattern]) => pattern.test(place))?.[0] ?? (parent ? areaOf(parent) : OF_NODE);
    areas.set(id, area);
    return area;
  };
  const total = new Map<string, number>();
  let at = startTime;
  for (const [i, id] of samples.entries()) {
    const delta = timeDeltas[i] ?? 0;
    at += delta;
    if (at < from || places.get(id) === ":(idle)") continue;
    const area = areaOf(id);
    total.set(area, (total.get(area) ?? 0) + delta / 1000);
  }
  return [...total].toSorted(([, a], [, b]) => b - a);
}

function placesOf(nodes: Profile["nodes"]): Map<number, string> {
  const maps = new Map<string, SourceMap | undefined>();
  return new Map(
    nodes.map(({ id, callFrame }) => {
      const { url, functionName } = callFrame;
      if (!maps.has(url)) maps.set(url, mapOf(url));
      return [id, `${sourceOf(callFrame, maps.get(url))}:${functionName}`];
    }),
  );
}

function mapOf(url: string): SourceMap | undefined {
  const file = url.startsWith("file:") ? `${fileURLToPath(url)}.map` : "";
  return existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, "utf8")) as SourceMapPayload) : undefined;
}

/** The place in our sources according to the bundle's map; undefined for a library. */
function sourceOf({ url, lineNumber, columnNumber }: CallFrame, map: SourceMap | undefined): string {
  // The map finds nothing before its first line.
  const entry: Partial<SourceMapping> = map?.findEntry(lineNumber, columnNumber) ?? {};
  const source = entry.originalSource ?? url;
  return source.includes("node_modules") ? "" : source;
}
