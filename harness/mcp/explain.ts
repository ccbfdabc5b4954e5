/** Explains codes and requests with texts of the documentation, and answers its pages by heading. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { didYouMean } from "../../src/base/did-you-mean.js";
import { forwardSlashes } from "../../src/base/forward-slashes.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { readText } from "../../src/base/read-text.js";
import type { TrafficRecord } from "../../src/console/records/traffic.js";
import { brief } from "./brief.js";

const DOCS = join(PACKAGE_ROOT, "docs");
/** Pages that docs/llms.txt names and that are not in the folder of the documentation. */
const BESIDE = ["../README.md", "../CONTRIBUTING.md", "../clients/README.md"];
/** The largest page that an answer has as a whole, in characters. */
const LONGEST_PAGE = 6_000;

/**
 * Returns a page, or the part of it below a heading. Of a long page it returns the beginning and the headings.
 * @param place as docs/llms.txt links to it, such as `codes.md`, `decisions/README.md`, `../README.md` or `codes.md#all-codes`
 * @throws Error that suggests names if there is no such page or heading
 */
export function documentation(place: string): string {
  const [name = "", heading] = place.replace(/^docs\//, "").split("#");
  const page = /\.(?:md|txt)$/.test(name) ? name : `${name}.md`;
  const parts = partsOf(textOf(page));
  const anchors = parts.map((part) => anchorOf(part.heading));
  if (heading !== undefined) {
    const first = anchors.indexOf(anchorOf(heading));
    const level = parts[first]?.level ?? 0;
    if (first < 0) {
      const meant = didYouMean(heading, anchors);
      throw new Error(`${page} has no heading ${heading}${meant}; without a heading, read_docs lists them`);
    }
    const next = parts.findIndex((part, i) => i > first && part.level <= level);
    return joined(parts.slice(first, next < 0 ? undefined : next));
  }
  const whole = joined(parts);
  if (whole.length <= LONGEST_PAGE) return whole;
  const list = anchors.slice(1).map((anchor) => `- ${page}#${anchor}`);
  return `${joined(parts.slice(0, 1))}\nread_docs answers each part of this page:\n${list.join("\n")}\n`;
}

/** @throws Error if there is no such page */
function textOf(page: string): string {
  const below = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).map((name) => forwardSlashes(name));
  const pages = [...below, ...BESIDE.filter((name) => existsSync(join(DOCS, name)))];
  if (pages.includes(page)) return readText(join(DOCS, page));
  throw new Error(`there is no page ${page}${didYouMean(page, pages)}; without a page, read_docs lists all`);
}

interface PagePart {
  readonly heading: string;
  readonly level: number;
  readonly lines: string[];
}

/** Splits a page at its headings. Lines in a block of code are no headings. */
function partsOf(text: string): readonly PagePart[] {
  const parts: PagePart[] = [{ heading: "", level: 0, lines: [] }];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const [, marks = "", heading = ""] = (isCode ? undefined : /^(#+) (.*)/.exec(line)) ?? [];
    if (marks.length > 1) parts.push({ heading, level: marks.length, lines: [] });
    parts.at(-1)?.lines.push(line);
  }
  return parts;
}

const joined = (parts: readonly PagePart[]): string => parts.flatMap(({ lines }) => lines).join("\n");

const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

type Row = Readonly<Record<string, string>>;

/** What a code means and what a POS does, and what a shop does. @throws Error that suggests a code if there is no such code */
export function explainCode(code: string): { readonly pos: readonly Row[]; readonly shop: readonly Row[] } {
  const pos = rowsOf("codes.md", code);
  const shop = [...rowsOf("shop.md", code), ...rowsOf("tax-authority.md", code)];
  if (pos.length + shop.length > 0) return { pos, shop };
  const codes = rowsByCode("codes.md").map(([one]) => one);
  const meant = didYouMean(code, codes);
  throw new Error(`${code} is no code of the service${meant}; read_docs codes.md#all-codes lists them`);
}

const rowsOf = (page: string, code: string): Row[] =>
  rowsByCode(page)
    .filter(([one]) => one === code)
    .map(([, row]) => row);

/** The rows that begin with a code, of all tables of a page. A star after the code has a meaning of its own. */
function rowsByCode(page: string): (readonly [code: string, row: Row])[] {
  let heads: readonly string[] = [];
  const lines = textOf(page).split("\n").map(cellsOf);
  return lines.flatMap((cells, i) => {
    if (/^-+$/.test(cells[0] ?? "")) heads = lines[i - 1] ?? [];
    const code = /^`?(\d{4})`?\*?$/.exec(cells[0] ?? "")?.[1];
    const row = Object.fromEntries(cells.map((cell, column) => [heads[column] ?? "", cell]));
    return code === undefined ? [] : [[code, row] as const];
  });
}

const cellsOf = (row: string) =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The largest body and the longest text in it, in characters. */
export const FULL = { body: 6_000, text: 3_000 };
/** The largest number of exchanges with the card. */
const EXCHANGES = 30;

/** Returns a request without headers and bytes, and with the meaning of each code in its answer. */
export function explainRequest(record: TrafficRecord): object {
  const { headers: _sent, answerHeaders: _received, apdus, body, answer, ...request } = record;
  const codes = [...new Set(answer.match(/(?<![\d.])\d{4}(?![\d.])/g) ?? [])];
  const meanings = codes.flatMap((code) => {
    const meaning = rowsOf("codes.md", code)[0]?.Meaning;
    return meaning === undefined ? [] : [[code, meaning]];
  });
  return {
    ...request,
    body: brief(body, FULL),
    answer: brief(answer, FULL),
    card: apdus.slice(-EXCHANGES).map(({ operation, result }) => `${operation}: ${result}`),
    codes: Object.fromEntries(meanings),
  };
}
