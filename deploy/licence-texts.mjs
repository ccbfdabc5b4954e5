/** The full licence texts of everything that an installed tillseal contains. Most licences require this, so a missing text is an error. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundledIn, readJson } from "./supply-chain.mjs";

const LICENCE_FILE = /^licen[cs]e/i;
const LINE = "-".repeat(72);

/**
 * @param app folder of tillseal with its node_modules
 * @param node Node's licence, with those of the libraries inside it
 */
export function licenceTexts(app, node) {
  const libraries = [...installed(join(app, "node_modules")), ...bundled(app)].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const parts = libraries.map(({ name, version, text }) => `${name} ${version}\n\n${text.trim()}`);
  return [...parts, `Node.js\n\n${node.trim()}\n`].join(`\n\n${LINE}\n\n`);
}

/** Packages in node_modules. */
function installed(folder) {
  return readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(folder, name)).map((inner) => join(name, inner)) : [name],
    )
    .map((name) => {
      const { version } = readJson(join(folder, name, "package.json"));
      // koffi's binaries are packages without a licence file. They have koffi's licence.
      const home = join(folder, name.startsWith("@koromix") ? "koffi" : name);
      const file = readdirSync(home).find((entry) => LICENCE_FILE.test(entry));
      if (file === undefined) throw new Error(`${name} ${version} has no licence text, so it must not be shipped`);
      return { name, version, text: readFileSync(join(home, file), "utf8") };
    });
}

/** Libraries in the bundle, without duplicates. */
function bundled(app) {
  const known = new Map(
    bundledIn(app).map(({ name, version, text }) => [`${name} ${version}`, { name, version, text }]),
  );
  return [...known.values()];
}
