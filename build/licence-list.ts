/** The list of bundled libraries with their licences. Vite writes the list; this file completes it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../src/base/package-root.js";

interface Library {
  readonly name: string;
  readonly version: string;
  readonly identifier?: string;
  readonly text?: string;
}

/** These packages have no licence file. Their README ends with the licence, which begins with these words. */
const IN_README: Readonly<Record<string, string>> = { omggif: "(c) Dean McNamee" };

/** The package of the font describes its licence in words. This is the SPDX identifier. */
const IDENTIFIERS: Readonly<Record<string, string>> = { "dejavu-fonts-ttf": "Bitstream-Vera" };

/**
 * @param file licences.json, which is replaced
 * @throws Error if a library has no licence text: most licences require that we ship it
 */
export function completeLicences(file: string): void {
  const libraries = JSON.parse(readFileSync(file, "utf8")) as readonly Library[];
  writeFileSync(file, JSON.stringify(libraries.map(completed), null, 2));
}

function completed(library: Library): Library {
  const { name, version } = library;
  const identifier = IDENTIFIERS[name] ?? library.identifier;
  const text = library.text || readmeText(name);
  if (!text) throw new Error(`${name} ${version} has no licence text. Add its place to build/licence-list.ts.`);
  return { ...library, ...(identifier === undefined ? {} : { identifier }), text };
}

function readmeText(name: string): string | undefined {
  const start = IN_README[name];
  if (start === undefined) return undefined;
  const readme = readFileSync(join(PACKAGE_ROOT, "node_modules", name, "README"), "utf8");
  const at = readme.indexOf(start);
  return at === -1 ? undefined : readme.slice(at).trim();
}
