/**
 * Part of `npm run build`: bundles everything that a start needs into one file, and code that commands load later into others.
 * `dist/src/cli.js` and `dist/harness/testkit.js` keep their places and load `dist/chunks`.
 * @param process.argv [folder, "production"]: the production edition has no emulator
 */
import { readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type Plugin } from "vite";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { completeLicences } from "./licence-list.js";

const [folder = join(PACKAGE_ROOT, "dist"), edition = "development"] = process.argv.slice(2);
const isProduction = edition === "production";

/** Native packages, and packages that few commands load. */
const EXTERNAL = ["better-sqlite3", "koffi", "pcsclite", "@faker-js/faker", "testcontainers"];

/** The production edition has no emulator, so this plugin removes the only import of the harness. */
const withoutEmulator: Plugin = {
  name: "without-emulator",
  enforce: "pre",
  transform: (code, id) =>
    id === join(PACKAGE_ROOT, "src", "commands", "harness.ts")
      ? code.replace('import("../../harness/index.js")', "undefined")
      : null,
};

/** From Node 24 on, `import "node:http"` also loads the client behind `fetch`, which takes a quarter of a short command. */
const HTTP = "\0node:http";
/** What our code imports; the build fails for another name. */
const FROM_HTTP =
  "Agent, createServer, IncomingMessage, request, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue";
const httpAlone: Plugin = {
  name: "http-alone",
  enforce: "pre",
  resolveId: (id, importer) => (id === "node:http" && !importer?.includes("/node_modules/") ? HTTP : null),
  load: (id) => (id === HTTP ? `export const { ${FROM_HTTP} } = process.getBuiltinModule("node:http");` : null),
};

const TESTKIT = join(PACKAGE_ROOT, "harness", "testkit.ts");
/** What the test kit loads after the check of Node's version. */
const RUN_EMULATOR = join(PACKAGE_ROOT, "harness", "control", "run-emulator.ts");
/** Loaded before that check. */
const CHECK = /\/src\/base\/(unfit-node|package-root)\.ts$/;
const PLAYER_THREAD = join(PACKAGE_ROOT, "harness", "scenario", "player-thread.ts");
const entries = {
  "src/cli": join(PACKAGE_ROOT, "src", "cli.ts"),
  ...(isProduction ? {} : { "harness/testkit": TESTKIT, "harness/scenario/player-thread": PLAYER_THREAD }),
};

interface Graph {
  getModuleInfo(
    id: string,
  ): { readonly importedIds: readonly string[]; readonly dynamicallyImportedIds: readonly string[] } | null;
}

/** These modules and everything that they import statically. */
function loadedWith(ids: readonly string[], graph: Graph): Set<string> {
  const loaded = new Set<string>();
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (loaded.has(id)) continue;
    loaded.add(id);
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return loaded;
}

/** The modules that every command loads. The entry loads them after the check of Node's version. */
const PROGRAM = [
  join(PACKAGE_ROOT, "src", "commands", "program.ts"),
  ...(isProduction ? [] : [join(PACKAGE_ROOT, "harness", "index.ts")]),
];

/** Modules of the commands that sell. */
const SELLING = /\/(serve-(card|emulator))\.ts$/;

const isOfEmulator = (id: string) => /^(emulator|harness)\b/.test(relative(PACKAGE_ROOT, id));

/** Puts modules with the same purpose into one file, because each further file costs a start half a millisecond. */
function grouped(graph: Graph): (id: string) => string | null {
  const always = loadedWith(PROGRAM, graph);
  const later = [...always].flatMap((id) => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []);
  const sells = (id: string) => SELLING.test(id);
  const selling = loadedWith([...later.filter(sells), ...(isProduction ? [] : [RUN_EMULATOR])], graph);
  const looking = loadedWith(
    later.filter((id) => !sells(id) && !isOfEmulator(id)),
    graph,
  );
  return (id) => {
    // The entry waits for the command to end, so the command must not wait for the entry.
    if (id === entries["src/cli"] || CHECK.test(id)) return null;
    if (always.has(id)) return "always";
    if (!selling.has(id)) return null;
    if (looking.has(id)) return "shared";
    return isOfEmulator(id) ? "emulator" : "service";
  };
}

let chunkOf: ((id: string) => string | null) | undefined;

const chunks = new Set<string>();
const listed: Plugin = {
  name: "listed",
  generateBundle: (_options, bundle) => {
    for (const [file, output] of Object.entries(bundle)) {
      chunks.add(file);
      // One character above U+00FF makes V8 keep two bytes for each character of the file.
      if (output.type === "chunk")
        output.code = output.code.replace(
          /[\u0080-\uffff]/g,
          (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
    }
  },
};

/** On a busy machine it would print which plugin took longest. */
const CHECKS = { pluginTimings: false };

const COMMON = {
  configFile: false,
  root: PACKAGE_ROOT,
  publicDir: false,
  // Express loads its tables for bodies that are not UTF-8, which our code does not read. Any module does instead.
  resolve: { alias: { "iconv-lite": "node:string_decoder" } },
  logLevel: "warn",
  ssr: { noExternal: true, external: EXTERNAL, target: "node" },
} as const;
const OUTPUT = {
  ssr: true,
  target: "node22",
  outDir: folder,
  emptyOutDir: false,
  copyPublicDir: false,
  sourcemap: true,
} as const;

await build({
  ...COMMON,
  plugins: [listed, httpAlone, ...(isProduction ? [withoutEmulator] : [])],
  build: {
    ...OUTPUT,
    ssrEmitAssets: true,
    // Lists the libraries whose code is in these files, with their licences.
    license: { fileName: "chunks/licences.json" },
    rolldownOptions: {
      checks: CHECKS,
      input: entries,
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
        // For `node --enable-source-maps`: names of files and lines are enough for a stack trace.
        sourcemapExcludeSources: true,
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              debugName: "purpose",
              name: (id, graph) => {
                chunkOf ??= grouped(graph);
                return chunkOf(id);
              },
            },
          ],
        },
      },
    },
  },
});

completeLicences(join(folder, "chunks", "licences.json"));

/** Threads and processes that the service starts by file name. Each file has all its code, so that it does not load the whole service. */
const STARTED = [
  "src/http/qr-worker",
  "src/bookkeeping/backup/backup-worker",
  "src/bookkeeping/verify/integrity-child",
  "src/doctor/store-worker",
  "src/secure-element/pcsc/koffi-worker",
  "src/authority/token-child",
];
for (const name of STARTED) {
  await build({
    ...COMMON,
    plugins: [listed],
    build: {
      ...OUTPUT,
      rolldownOptions: {
        checks: CHECKS,
        input: { [name]: join(PACKAGE_ROOT, `${name}.ts`) },
        output: { entryFileNames: "[name].js", codeSplitting: false, sourcemapExcludeSources: true },
      },
    },
  });
}

// Remove the chunks of earlier builds.
for (const name of readdirSync(join(folder, "chunks"))) {
  const chunk = `chunks/${name.replace(/\.map$/, "")}`;
  if (chunk.endsWith(".js") && !chunks.has(chunk)) rmSync(join(folder, "chunks", name));
}
