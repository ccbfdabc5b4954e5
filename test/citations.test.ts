/** Comments and scenarios cite docs/protocol.md ("protocol facts") and other pages; each citation must lead to a heading. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.js";

const FOLDERS = ["src", "emulator", "harness", "test", "clients", "build", "scenarios"];

interface Citation {
  readonly file: string;
  readonly cited: string;
}

/** Each file as one line, because citations may wrap. */
const TEXTS = FOLDERS.flatMap((folder) =>
  readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter(
      (name) => /\.(ts|tsx|mjs|php|py|go|java|cs|pas|yaml)$/.test(name) && !/^citations\.|node_modules/.test(name),
    )
    .map((name) => ({
      file: `${folder}/${name.replaceAll("\\", "/")}`,
      text: readFileSync(join(PACKAGE_ROOT, folder, name), "utf8").replace(/\s*\n\s*(\*|\/\/|#)?\s*/g, " "),
    })),
);

const citationsOf = (pattern: RegExp): Citation[] =>
  TEXTS.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([, cited = ""]) => ({ file, cited })));

const page = (name: string) => readFileSync(join(PACKAGE_ROOT, "docs", name), "utf8");
const headings = (text: string) => [...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, title]) => title);

/** The protocol's sections by number, each with its title, its text and the headings in it. */
const SECTIONS = new Map(
  page("protocol.md")
    .split(/^(?=## \d)/m)
    .slice(1)
    .map((text) => [Number(/^## (\d+)/.exec(text)?.[1]), { text, headings: headings(text) }]),
);

it("citations of protocol facts lead to a section, and to a heading or an offset in it", () => {
  const cited = citationsOf(/protocol facts, (sections? \d+(?:(?:, | and )\d+)*(?:, (?:"[^"]+"|offset \d+))?)/gi);
  expect(cited.length).toBeGreaterThan(70);
  const lost = cited.filter(({ cited: citation }) => {
    const numbers = (/^sections? ([\d, and]+)/.exec(citation)?.[1] ?? "").match(/\d+/g) ?? [];
    const heading = /"(.+)"/.exec(citation)?.[1];
    const offset = /offset (\d+)/.exec(citation)?.[1];
    return !numbers.every((number) => {
      const section = SECTIONS.get(Number(number));
      if (section === undefined) return false;
      if (heading !== undefined) return section.headings.includes(heading);
      return offset === undefined || section.text.includes(`| ${offset} |`);
    });
  });
  expect(lost).toEqual([]);
});

it("citations name a page of this repository", () => {
  const others = citationsOf(/\b(design|architecture|spec), "/g);
  // A step of the migrations is never edited.
  expect(others.filter(({ file }) => file !== "src/ledger/migrations.ts")).toEqual([]);
});

it("citations of other pages lead to a page, and to a heading in it", () => {
  const cited = citationsOf(/(docs\/[a-z\d/-]+\.md(?:, "[^"]+")?)/g);
  expect(cited.length).toBeGreaterThan(20);
  const lost = cited.filter(({ cited: citation }) => {
    const [file = "", heading] = citation.split(", ");
    if (!existsSync(join(PACKAGE_ROOT, file))) return true;
    return heading !== undefined && !headings(page(file.slice("docs/".length))).includes(JSON.parse(heading));
  });
  expect(lost).toEqual([]);
});
