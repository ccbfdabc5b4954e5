/**
 * A text that says nothing, none, no, every, all, never, always or at once is soon false: of what is damaged, missing, in
 * doubt or not known. Each such text of the program is in absolute-words.txt: under the states for which it was judged, or
 * under the reason why it is about no state. A new text fails here until a person has judged it. The Serbian text of the
 * same key says the same.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.js";

const ABSOLUTE = /\b(nothing|none|no|every|all|never|always|at once)\b/i;
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

/** The texts of the program with an absolute word, as `file: text`. */
function found(): string[] {
  const source = join(PACKAGE_ROOT, "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  const lines = files.flatMap((file) => {
    const { program } = parseSync(file, readFileSync(join(source, file), "utf8"));
    return textsIn(program)
      .filter((text) => ABSOLUTE.test(text) && /\S\s+\S/.test(text) && !NO_SENTENCE.test(text))
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
