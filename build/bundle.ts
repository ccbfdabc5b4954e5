/**
 * Part of `npm run build`: one file with everything that a start needs, in place of some hundred, and others for what a
 * command loads later. `dist/src/cli.js` and `dist/emulator/testkit.js` stay where they are; they load `dist/chunks`.
 * @param process.argv [folder, "production"]: the production edition has no emulator
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "vite";
import { PACKAGE_ROOT } from "../src/package-root.js";

const [folder = join(PACKAGE_ROOT, "dist"), edition = "development"] = process.argv.slice(2);
const isProduction = edition === "production";

/** Native, or loaded only by what few people use. */
const EXTERNAL = ["better-sqlite3", "better-sqlite3-node20", "koffi", "pcsclite", "@faker-js/faker", "testcontainers"];

/** Without the emulator there is nothing to load; the import itself would only invite somebody to put one there. */
const withoutEmulator: Plugin = {
  name: "without-emulator",
  load: (id) =>
    id === join(PACKAGE_ROOT, "src", "commands", "emulator.ts")
      ? "export const loadEmulator = async () => undefined;\n"
      : null,
};

const EMULATOR_ENTRIES = isProduction
  ? []
  : ["testkit", "index"].map((name) => join(PACKAGE_ROOT, "emulator", `${name}.ts`));
const entries = {
  "src/cli": join(PACKAGE_ROOT, "src", "cli.ts"),
  ...(isProduction ? {} : { "emulator/testkit": join(PACKAGE_ROOT, "emulator", "testkit.ts") }),
};

interface Graph {
  getModuleInfo(
    id: string,
  ): { readonly importedIds: readonly string[]; readonly dynamicallyImportedIds: readonly string[] } | null;
}

/** Everything that is loaded together with these modules. */
function loadedWith(ids: readonly string[], graph: Graph): Set<string> {
  const found = new Set<string>();
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

/** Commands that sell; the others only look. */
const SELLING = /\/(commands\/serve-(card|emulator)|emulator\/(index|testkit))\.ts$/;

/** What is loaded for the same purpose is in one file: each file more costs a start half a millisecond. */
function grouped(graph: Graph): (id: string) => string | null {
  const always = loadedWith([entries["src/cli"]], graph);
  const later = [...always].flatMap((id) => graph.getModuleInfo(id)?.dynamicallyImportedIds ?? []);
  const sells = (id: string) => SELLING.test(id);
  const selling = loadedWith([...later.filter(sells), ...EMULATOR_ENTRIES], graph);
  const looking = loadedWith(
    later.filter((id) => !sells(id)),
    graph,
  );
  return (id) => {
    // What waits for a command to end must not be what the command waits for.
    if (id === entries["src/cli"]) return null;
    if (always.has(id)) return "always";
    if (!selling.has(id)) return null;
    if (looking.has(id)) return "shared";
    return id.startsWith(join(PACKAGE_ROOT, "emulator")) ? "emulator" : "service";
  };
}

let chunkOf: ((id: string) => string | null) | undefined;

const chunks = new Set<string>();
const listed: Plugin = {
  name: "listed",
  generateBundle: (_options, bundle) => {
    for (const file of Object.keys(bundle)) chunks.add(file);
  },
};

const COMMON = {
  configFile: false,
  root: PACKAGE_ROOT,
  publicDir: false,
  logLevel: "warn",
} as const;

await build({
  ...COMMON,
  plugins: [listed, ...(isProduction ? [withoutEmulator] : [])],
  ssr: { noExternal: true, external: EXTERNAL, target: "node" },
  build: {
    ssr: true,
    ssrEmitAssets: true,
    target: "node20",
    outDir: folder,
    emptyOutDir: false,
    copyPublicDir: false,
    sourcemap: true,
    // The libraries whose code is in these files, with their licences.
    license: { fileName: "chunks/licences.json" },
    rolldownOptions: {
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

/** Started by the names of their files. Each has all that it needs: a thread must not load the whole service again. */
const THREADS = ["src/http/qr-worker", "src/backup/backup-worker", "src/secure-element/pcsc/koffi-worker"];
for (const name of THREADS) {
  await build({
    ...COMMON,
    plugins: [listed],
    ssr: { noExternal: true, external: EXTERNAL, target: "node" },
    build: {
      ssr: true,
      target: "node20",
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      sourcemap: true,
      rolldownOptions: {
        input: { [name]: join(PACKAGE_ROOT, `${name}.ts`) },
        output: { entryFileNames: "[name].js", codeSplitting: false, sourcemapExcludeSources: true },
      },
    },
  });
}

// Of builds before.
for (const name of readdirSync(join(folder, "chunks"))) {
  const chunk = `chunks/${name.replace(/\.map$/, "")}`;
  if (chunk.endsWith(".js") && !chunks.has(chunk)) rmSync(join(folder, "chunks", name));
}
