import { defineConfig } from "vite";

/** The console: static files inside the package, served by the service itself. */
export default defineConfig({
  root: "src/console/web",
  base: "/console/",
  publicDir: false,
  // The same files whoever builds them: tests set NODE_ENV, and a development build names this machine's folders.
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  define: {
    "process.env.NODE_ENV": JSON.stringify("production"),
    // The package for shops has no page about an emulator.
    EMULATOR: JSON.stringify(process.env.TILLSEAL_EDITION !== "production"),
  },
  build: {
    outDir: "../../../dist/console",
    emptyOutDir: true,
    // What a data: URL would save, the content security policy and the cache cost again.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    reportCompressedSize: false,
    // The libraries whose code is in these files, with their licences: npm installs none of them in a shop.
    license: { fileName: "licences.json" },
  },
});
