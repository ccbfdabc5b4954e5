/**
 * Makes the manuals in Serbian as pages of the console, in both scripts from one source (docs/manuals).
 * @param process.argv [folder]: the console's folder
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { toLatin } from "../src/fiscal/latin.js";
import { page } from "../src/http/html.js";

const [folder = join(PACKAGE_ROOT, "dist", "console")] = process.argv.slice(2);
const SOURCES = join(PACKAGE_ROOT, "docs", "manuals");
const SCRIPTS = { "sr-Cyrl": (text: string) => text, "sr-Latn": toLatin } as const;

const made = join(folder, "manuals");
mkdirSync(made, { recursive: true });
for (const source of readdirSync(SOURCES).filter((name) => name.endsWith(".sr.md"))) {
  const cyrillic = readFileSync(join(SOURCES, source), "utf8");
  for (const [language, inScript] of Object.entries(SCRIPTS)) {
    const text = inScript(cyrillic);
    const title = /^# (.*)$/m.exec(text)?.[1] ?? source;
    const body = await marked.parse(text);
    writeFileSync(join(made, source.replace("sr.md", `${language}.html`)), page(title, body, "", language));
  }
}
