/** The full licence texts of everything that an installed tillseal contains. Most licences require this. */
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
      const { version, license } = readJson(join(folder, name, "package.json"));
      const file = readdirSync(join(folder, name)).find((entry) => LICENCE_FILE.test(entry));
      const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, name, file), "utf8");
      return { name, version, text };
    });
}

/** Libraries in the bundle, without duplicates. */
function bundled(app) {
  const known = new Map(
    bundledIn(app).map(({ name, version, identifier, text }) => [
      `${name} ${version}`,
      { name, version, text: text ?? `Licence: ${identifier}` },
    ]),
  );
  return [...known.values()];
}
