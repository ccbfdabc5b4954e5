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

const texts = new Map(
  execFileSync("git", ["ls-files", "-z", "*.ts", "*.tsx", "*.mjs"], { encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && existsSync(file))
    .map((file) => [file, readFileSync(file, "utf8")]),
);

/** @returns the source of a path that is imported without its folder, or undefined if it is no file of the repository */
function sourceOf(importer, path) {
  const to = posix.join(posix.dirname(importer), path).replace(/^dist\//, "");
  return [to, to.replace(/\.js$/, ".ts"), to.replace(/\.js$/, ".tsx")].find((file) => texts.has(file));
}

/** Names that others take from each file; `*` takes those that the other file mentions. */
const taken = new Map();
for (const [file, text] of texts) {
  for (const [, clause = "*", path] of text.matchAll(TAKEN)) {
    const from = sourceOf(file, path);
    if (from === undefined) continue;
    const words = clause.includes("{") && !clause.includes("*") ? clause : text;
    const names = taken.get(from) ?? new Set();
    for (const [name] of words.matchAll(/\w+/g)) names.add(name);
    taken.set(from, names);
  }
}

/** A name that is taken from a file with `export *` is taken from the file behind it. */
for (const [file, text] of texts) {
  for (const [, path] of text.matchAll(/^export \* from "(\.[^"]+)"/gm)) {
    const behind = taken.get(sourceOf(file, path));
    for (const name of taken.get(file) ?? []) behind?.add(name);
  }
}

/** The declarations at the top of a file. */
const declarationsOf = (text) =>
  text.split(/\n(?=(?:export |async |abstract )*(?:function\*?|class|interface|type|const|let|enum) |\/\*\*)/);

function unusedIn(file, text) {
  const exported = declarationsOf(text).flatMap((declaration) => {
    const [, word, name] = EXPORT.exec(declaration) ?? [];
    return name === undefined ? [] : [{ word, name, declaration }];
  });
  const isUsed = ({ word, name }) =>
    taken.get(file)?.has(name) ||
    ((word === "interface" || word === "type") &&
      exported.some((other) => other.name !== name && new RegExp(`\\b${name}\\b`).test(other.declaration)));
  return exported.filter((one) => !isUsed(one)).map(({ name }) => `${file}: ${name}`);
}

export const UNUSED_EXPORTS = [...texts].flatMap(([file, text]) =>
  /^(src|emulator|harness)\//.test(file) ? unusedIn(file, text) : [],
);

if (process.argv[1] === import.meta.filename) console.log(UNUSED_EXPORTS.join("\n"));
