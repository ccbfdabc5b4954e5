/**
 * A text that says nothing, none, no, every, all, never, always or at once is soon false: of what is damaged, missing, in
 * doubt or not known. Each such text of the program is in absolute-words.txt: under the states for which it was judged, or
 * under the reason why it is about no state. A new text fails here until a person has judged it. A Serbian text is there
 * only if the English text of its key is not: it then says more than the English one, or has no English one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { ENGLISH as PAGES } from "../src/console/web/texts/english.js";
import { SERBIAN as SERBIAN_PAGES } from "../src/console/web/texts/serbian.js";
import { ENGLISH } from "../src/state/texts/english.js";
import { ENGLISH_LINES } from "../src/state/texts/lines-english.js";
import { SERBIAN_LINES } from "../src/state/texts/lines-serbian.js";
import { SERBIAN } from "../src/state/texts/serbian.js";

const ABSOLUTE = /\b(nothing|none|no|every|all|never|always|at once)\b/i;
const SERBIAN_ABSOLUTE =
  /(?<!\p{L})(ништа|ни(једн|један)\p{L}*|ни(ко|кога|чега)|св[аеи]|сваки?\p{L}*|никада?|увек|одмах|нема|чим)(?!\p{L})/iu;
/** SQL, headers of a web page and generated code are no sentences. */
const NO_SENTENCE = /SELECT |CREATE TABLE|UNION ALL|ON CONFLICT|'none'|vErrors|Standard Time\|/;

function textsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (typeof node !== "object" || node === null) return [];
  const { type, value, quasis, ...rest } = node as Readonly<Record<string, unknown>>;
  if (type === "ImportDeclaration") return [];
  if (type === "TemplateLiteral") {
    const parts = (quasis as { readonly value: { readonly cooked: string } }[]).map((part) => part.value.cooked);
    return [parts.join("{}"), ...Object.values(rest).flatMap(textsIn)];
  }
  const isText = (type === "Literal" || type === "JSXText") && typeof value === "string";
  return [...(isText ? [value] : textsIn(value)), ...Object.values(rest).flatMap(textsIn)];
}

/** The Serbian texts of keys whose English text is absolute. */
function judgedInEnglish(english: object, serbian: object): string[] {
  return Object.entries(english).flatMap(([key, text]: [string, unknown]) => {
    const translated = (serbian as Readonly<Record<string, unknown>>)[key];
    if (typeof text === "object" && text !== null) return judgedInEnglish(text, translated ?? {});
    return typeof text === "string" && ABSOLUTE.test(text) ? [String(translated)] : [];
  });
}

const TRANSLATED = new Set([
  ...judgedInEnglish(PAGES, SERBIAN_PAGES),
  ...judgedInEnglish(ENGLISH, SERBIAN),
  ...judgedInEnglish(ENGLISH_LINES, SERBIAN_LINES),
]);

const isAbsolute = (text: string) => ABSOLUTE.test(text) || (SERBIAN_ABSOLUTE.test(text) && !TRANSLATED.has(text));

/** The texts of the program with an absolute word, as `file: text`. */
function found(): string[] {
  const source = join(PACKAGE_ROOT, "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$|texts.*\.json$/.test(file),
  );
  const lines = files.flatMap((file) => {
    const text = readFileSync(join(source, file), "utf8");
    const { program } = file.endsWith(".json") ? parseSync("data.ts", `(${text})`) : parseSync(file, text);
    return textsIn(program)
      .filter((text) => isAbsolute(text) && /\S\s+\S/.test(text) && !NO_SENTENCE.test(text))
      .map((text) => `${file.replaceAll("\\", "/")}: ${text.replace(/\s+/g, " ").trim()}`);
  });
  return [...new Set(lines)].toSorted();
}

it("each absolute text is under the states for which it was judged, or under a reason", () => {
  const lines = readFileSync(join(import.meta.dirname, "absolute-words.txt"), "utf8").split("\n");
  const judged = lines.filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines[0]).toMatch(/^# /);
  expect(judged.toSorted()).toEqual(found());
});
