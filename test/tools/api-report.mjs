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

/** Writes a report for each entry. @param folder where they are written @returns name and file of each */
function reports(folder) {
  const { CompilerState, Extractor } = createRequire(import.meta.url)("@microsoft/api-extractor");
  const configs = entries().map(({ name, types }) => ({ name, config: configOf(name, types, folder) }));
  // All entries share one program: TypeScript takes longer to read the types than the reports take.
  const additionalEntryPoints = entries().map(({ types }) => types);
  const compilerState = CompilerState.create(configs[0].config, { additionalEntryPoints });
  return configs.map(({ name, config }) => {
    Extractor.invoke(config, {
      compilerState,
      localBuild: true,
      messageCallback: (message) => (message.handled = true),
    });
    return { name, file: join(folder, `${name}.api.md`) };
  });
}

function configOf(name, types, folder) {
  const { ExtractorConfig } = createRequire(import.meta.url)("@microsoft/api-extractor");
  return ExtractorConfig.prepare({
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
}

export function checkApiReports() {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-api-"));
  try {
    for (const { name, file } of reports(folder)) {
      const kept = join(KEPT, `${name}.api.md`);
      const made = readFileSync(file, "utf8");
      const same = existsSync(kept) && readFileSync(kept, "utf8") === made;
      result(`the public types of tillseal/${name} are those of its report`, same, difference(kept, made));
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
  for (const { name, file } of reports(folder)) copyFileSync(file, join(KEPT, `${name}.api.md`));
  rmSync(folder, { recursive: true, force: true });
}
