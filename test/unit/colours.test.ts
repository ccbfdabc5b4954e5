/** Colours of pages are defined in one place. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COLOUR_RULES } from "../../src/base/colours.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const read = (file: string) => readFileSync(join(PACKAGE_ROOT, file), "utf8");
const SOURCES = ["src", "emulator", "harness"].flatMap((folder) =>
  readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(tsx?|css|html)$/.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
);
const COLOUR = /(?<![\w&])#(?:[\da-f]{3}|[\da-f]{6}|[\da-f]{8})\b(?!-)|\b(?:rgb|hsl|oklch)a?\(/i;

it("colours are written in one file, except a receipt printer's black and white", () => {
  expect(SOURCES.length).toBeGreaterThan(300);
  const writing = SOURCES.filter((file) => COLOUR.test(read(file)));
  expect(writing.toSorted()).toEqual(["src/base/colours.ts", "src/console/web/paper.ts"]);
});

it("colours exist where a page uses them", () => {
  const pages = SOURCES.filter((file) => file.endsWith(".css") || /html|page/.test(file));
  const text = pages.map(read).join("\n");
  const used = new Set([...text.matchAll(/var\((--[\w-]+)/g)].map(([, name = ""]) => name));
  const known = new Set([...`${COLOUR_RULES}${text}`.matchAll(/(--[\w-]+):/g)].map(([, name = ""]) => name));
  expect(used.size).toBeGreaterThan(10);
  expect([...used].filter((name) => !known.has(name))).toEqual([]);
});

it("colours of the seal are the accent on a light page", () => {
  const [, accent] = /--accent: (#\w+)/.exec(COLOUR_RULES) ?? [];
  expect(read("src/console/web/seal.svg")).toContain(`fill="${accent}"`);
});
