/**
 * Prints the exports of src, emulator and harness that no other file imports. A type counts as used where an exported declaration of
 * its own file has it: the compiler then writes it into the declarations of the package.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";

const EXPORT = /^export (?:declare )?(?:abstract )?(?:async )?(function\*?|class|interface|type|const|let|enum) (\w+)/;
/** What an import or a re-export takes from a file: names, a namespace, or the whole module on demand. */
const TAKEN = /(?:(?:import|export)\s+(?:type\s+)?([^;"]*?)\s+from|import)\s*\(?\s*"(\.[^"]+)"/g;
/** Begins a declaration at the top of a file. */
const DECLARATION = /\n(?=(?:export |async |abstract )*(?:function\*?|class|interface|type|const|let|enum) |\/\*\*)/;

const listed = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mjs"], { encoding: "utf8" }).trim().split("\n");
const texts = new Map(listed.filter((file) => existsSync(file)).map((file) => [file, readFileSync(file, "utf8")]));

/** @returns the source of a path that is imported without its folder, or undefined if it is no file of the repository */
function sourceOf(importer, path) {
  const to = posix.join(posix.dirname(importer), path).replace(/^dist\//, "");
  return [to, to.replace(/\.js$/, ".ts"), to.replace(/\.js$/, ".tsx")].find((file) => texts.has(file));
}

/** Names that others take from each file. A namespace or a whole module takes each name that the other file mentions. */
const taken = new Map([...texts.keys()].map((file) => [file, new Set()]));
for (const [file, text] of texts) {
  for (const [, clause = "*", path] of text.matchAll(TAKEN)) {
    const words = clause.includes("{") && !clause.includes("*") ? clause : text;
    for (const [name] of words.matchAll(/\w+/g)) taken.get(sourceOf(file, path))?.add(name);
  }
}
/** A name that is taken from a file with `export *` is taken from the file behind it. */
for (const [file, text] of texts)
  for (const [, path] of text.matchAll(/^export \* from "(\.[^"]+)"/gm))
    for (const name of taken.get(file)) taken.get(sourceOf(file, path))?.add(name);

for (const [file, text] of texts) {
  if (!/^(src|emulator|harness)\//.test(file)) continue;
  const exported = text.split(DECLARATION).flatMap((declaration) => {
    const [, word, name] = EXPORT.exec(declaration) ?? [];
    return name === undefined ? [] : [{ isType: word === "interface" || word === "type", name, declaration }];
  });
  for (const { isType, name } of exported) {
    const others = exported.filter((other) => other.name !== name);
    const inSignature = isType && others.some(({ declaration }) => new RegExp(`\\b${name}\\b`).test(declaration));
    if (!taken.get(file).has(name) && !inSignature) console.log(`${file}: ${name}`);
  }
}
