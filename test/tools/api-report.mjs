/**
 * Compares the public types of the package with the reports in test/tools/api. A change that breaks a program shows as a difference.
 * `node test/tools/api-report.mjs --write` accepts what is there.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIfChanged } from "../../build/build.mjs";
import { ROOT, result, TOOLS } from "./report.mjs";

const KEPT = join(TOOLS, "api");

/** @returns name and declaration of each entry that the package exports with types */
function entries() {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return Object.entries(exports).flatMap(([name, { types }]) =>
    types === undefined ? [] : [{ name: name.slice("./".length), types: join(ROOT, types) }],
  );
}

/** @param folder where the report is written @returns its file */
function report({ name, types }, folder) {
  const { Extractor, ExtractorConfig } = createRequire(import.meta.url)("@microsoft/api-extractor");
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(ROOT, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: types,
      compiler: { overrideTsconfig: { compilerOptions: { module: "NodeNext", target: "ES2023", types: ["node"] } } },
      apiReport: { enabled: true, reportFileName: `${name}.api.md`, reportFolder: folder, reportTempFolder: folder },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      // The report says which types are missing in the entry; that a comment has no @public is our way.
      messages: { extractorMessageReporting: { "ae-missing-release-tag": { logLevel: "none" } } },
    },
  });
  Extractor.invoke(config, { localBuild: true, messageCallback: (message) => (message.handled = true) });
  return join(folder, `${name}.api.md`);
}

export function checkApiReports() {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-api-"));
  try {
    for (const entry of entries()) {
      const kept = join(KEPT, `${entry.name}.api.md`);
      const made = readFileSync(report(entry, folder), "utf8");
      const same = existsSync(kept) && readFileSync(kept, "utf8") === made;
      result(`the public types of tillseal/${entry.name} are those of its report`, same, difference(kept, made));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function difference(kept, made) {
  const before = new Set(existsSync(kept) ? readFileSync(kept, "utf8").split("\n") : []);
  const after = new Set(made.split("\n"));
  const gone = [...before].filter((line) => !after.has(line)).map((line) => `- ${line}`);
  const added = [...after].filter((line) => !before.has(line)).map((line) => `+ ${line}`);
  const how = "If you want this change, run: node test/tools/api-report.mjs --write, and say it in CHANGELOG.md.";
  return [...gone, ...added, how].join("\n");
}

if (process.argv[1] === import.meta.filename && process.argv.includes("--write")) {
  buildIfChanged();
  const folder = mkdtempSync(join(tmpdir(), "tillseal-api-"));
  mkdirSync(KEPT, { recursive: true });
  for (const entry of entries()) copyFileSync(report(entry, folder), join(KEPT, `${entry.name}.api.md`));
  rmSync(folder, { recursive: true, force: true });
}
