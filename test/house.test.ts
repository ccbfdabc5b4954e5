/** The house stays small: each row of test/ceilings.json limits one count of what git has. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ADMIN_ENDPOINTS } from "../emulator/tax-authority/admin-endpoints.js";
import { SDC_ENDPOINTS } from "../emulator/tax-authority/sdc-api.js";
import { CONTROL_ENDPOINTS } from "../harness/control/endpoints.js";
import { PROXY_ENDPOINTS } from "../harness/proxy/proxy-control.js";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { SETTING_NAMES } from "../src/config/settings.js";
import { CONSOLE_ENDPOINTS } from "../src/console/endpoints.js";
import { ENDPOINTS } from "../src/http/endpoints.js";

const read = (file: string) => readFileSync(join(PACKAGE_ROOT, file), "utf8");
const CEILINGS = JSON.parse(read("test/ceilings.json")) as Readonly<Record<string, number>>;
const FILES = execFileSync("git", ["ls-files", "-z"], { cwd: PACKAGE_ROOT, encoding: "utf8" })
  .split("\0")
  .filter((file) => existsSync(join(PACKAGE_ROOT, file)));

const sourcesIn = (...folders: string[]) =>
  FILES.filter((file) => /\.(tsx?|mjs)$/.test(file) && folders.some((folder) => file.startsWith(`${folder}/`)));

const sum = (texts: readonly string[], count: (text: string) => number) =>
  texts.reduce((total, file) => total + count(read(file)), 0);

/** As `wc -l` counts them, with comments, tables and texts. */
const lines = (...folders: string[]) => sum(sourcesIn(...folders), (text) => text.split("\n").length - 1);

/** As `wc -w` counts them. */
const words = (text: string) => text.split(/\s+/).filter(Boolean).length;

const DECLARATION =
  /^(export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(function\*?|class|interface|type|const|let|enum) (\w+)/gm;

/** Types and exported values that are declared at the top of three or more files, without the catalogues of two languages. */
function sharedNames(): string[] {
  const places = new Map<string, Set<string>>();
  for (const file of sourcesIn("src", "emulator", "harness")) {
    if (file.endsWith(".mjs") || /texts\/(english|serbian)/.test(file)) continue;
    for (const [, exported, word = "", name = ""] of read(file).matchAll(DECLARATION)) {
      const isType = word === "interface" || word === "type";
      const key = isType ? `type ${name}` : name;
      if (isType || exported !== undefined) places.set(key, (places.get(key) ?? new Set()).add(file));
    }
  }
  return [...places].flatMap(([name, files]) => (files.size > 2 ? [`${name}: ${[...files].join(" ")}`] : []));
}

const ENDPOINT_TABLES: readonly (readonly unknown[])[] = [
  ENDPOINTS,
  CONSOLE_ENDPOINTS,
  CONTROL_ENDPOINTS,
  PROXY_ENDPOINTS,
  ADMIN_ENDPOINTS,
  SDC_ENDPOINTS,
];
const NAMES = sharedNames();
const outputOf = (script: string) =>
  execFileSync(process.execPath, [`test/support/${script}`], { cwd: PACKAGE_ROOT, encoding: "utf8" });
const UNUSED = outputOf("unused-exports.mjs");
const TRACED = JSON.parse(outputOf("traced-sale.mjs")) as { readonly files: number; readonly functions: number };

const COUNTED: Readonly<Record<string, number>> = {
  "lines of src without the console": lines("src") - lines("src/console"),
  "lines of the console": lines("src/console"),
  "lines of emulator and harness": lines("emulator", "harness"),
  "lines of test": lines("test"),
  "lines of build and deploy": lines("build", "deploy"),
  "words in docs": sum(
    FILES.filter((file) => file.startsWith("docs/") && file.endsWith(".md")),
    words,
  ),
  settings: SETTING_NAMES.length,
  endpoints: ENDPOINT_TABLES.flat().length,
  "names in three or more files": NAMES.length,
  "types that end in Parts, Sources or Options": sum(
    sourcesIn("src", "emulator", "harness"),
    (text) => [...text.matchAll(/^(?:export )?(?:interface|type) \w*(?:Parts|Sources|Options)\b/gm)].length,
  ),
  "exports that no file imports": UNUSED.split("\n").filter(Boolean).length,
  "files of src in one sale": TRACED.files,
  "functions of src in one sale": TRACED.functions,
};

it("every count has a ceiling", () => {
  console.log(
    Object.entries(COUNTED)
      .map(([what, count]) => `${count} of ${CEILINGS[what]} ${what}`)
      .join("\n"),
  );
  expect(Object.keys(CEILINGS)).toEqual(Object.keys(COUNTED));
});

it.each(Object.entries(CEILINGS))("%s are at most %d", (what, ceiling) => {
  const found = { names: NAMES.join("\n"), exports: UNUSED }[what.split(" ")[0] ?? ""] ?? what;
  expect(COUNTED[what], found).toBeLessThanOrEqual(ceiling);
});
