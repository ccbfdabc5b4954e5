/** Explains codes and requests with texts of the documentation. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

/** The fields of a request in `GET /control/traffic` that an explanation uses. */
export interface RequestRecord {
  readonly answer?: string;
  readonly answerHeaders?: object;
  readonly headers?: object;
  readonly apdus?: readonly { readonly operation: string; readonly result: string }[];
}

/**
 * Reads a page of the documentation.
 * @param page as docs/llms.txt links to it, such as `codes.md`, `decisions/0001-exact-money` or `../README.md`
 * @throws Error if there is no such page
 */
export function documentation(page: string): string {
  const name = page.replace(/^docs\//, "").replace(/#.*$/, "");
  const file = /\.(?:md|txt)$/.test(name) ? name : `${name}.md`;
  if (!/^(?:\.\.\/)?(?:[\w.-]*\w\/)*[\w-]+\.(?:md|txt)$/.test(file))
    throw new Error(`${page} is not the name of a page`);
  try {
    return readFileSync(join(PACKAGE_ROOT, "docs", file), "utf8");
  } catch {
    throw new Error(`there is no page ${page}; without a page, read_docs lists all`);
  }
}

/** Returns each row about a code in the page `codes.md`, with the heads of its columns. */
export function explainCode(code: string): Readonly<Record<string, string>>[] {
  const rows: Record<string, string>[] = [];
  let heads: readonly string[] = [];
  let before = "";
  for (const line of documentation("codes.md").split("\n")) {
    if (/^\| -+ \|/.test(line)) heads = cellsOf(before);
    const cells = cellsOf(line);
    if (line.startsWith("|") && cells[0]?.includes(`\`${code}\``)) {
      rows.push(Object.fromEntries(cells.map((cell, i) => [heads[i] ?? "", cell])));
    }
    before = line;
  }
  return rows;
}

const cellsOf = (row: string) =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Returns a request without headers and bytes, and with the meaning of each code in its answer. */
export function explainRequest(record: RequestRecord): object {
  const { headers: _sent, answerHeaders: _received, apdus = [], answer = "", ...request } = record;
  const codes = [...new Set(answer.match(/(?<![\d.])\d{4}(?![\d.])/g) ?? [])];
  return {
    ...request,
    answer: shortened(answer),
    card: apdus.map(({ operation, result }) => `${operation}: ${result}`),
    codes: Object.fromEntries(codes.map((code) => [code, explainCode(code)]).filter(([, rows]) => rows?.length)),
  };
}

const LONGEST = 4_000;

function shortened(answer: string): string {
  return answer.length > LONGEST ? `${answer.slice(0, LONGEST)}… (${answer.length} characters)` : answer;
}
