import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { completeLicences } from "./build/licence-list.js";
import { COLOUR_RULES } from "./src/base/colours.js";

const LICENCES = "licences.json";

/** Completes the list of licences. It is part of the packages. */
const licences: Plugin = {
  name: "licences",
  writeBundle: {
    order: "post",
    sequential: true,
    // The packages build into a different folder than dist.
    handler: ({ dir = "dist/console" }) => completeLicences(join(dir, LICENCES)),
  },
};

/** index.html names the entry for shops; the full edition adds the emulator's pages. */
const entry: Plugin = {
  name: "entry",
  transformIndexHtml: {
    order: "pre",
    handler: (html) =>
      process.env.TILLSEAL_EDITION === "production"
        ? html
        : html.replace("./main.tsx", "../../../harness/console/main.tsx"),
  },
};

/** The colours of src/base/colours.ts, as a style sheet. */
const COLOURS = "virtual:colours.css";
const colours: Plugin = {
  name: "colours",
  resolveId: (id) => (id === COLOURS ? `\0${COLOURS}` : undefined),
  load: (id) => (id === `\0${COLOURS}` ? COLOUR_RULES : undefined),
};

/** The console: static files inside the package, served by the service itself. */
export default defineConfig({
  root: "src/console/web",
  base: "/console/",
  publicDir: false,
  // The output must not depend on NODE_ENV, which tests set: a development build contains paths of this machine.
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  define: {
    "process.env.NODE_ENV": JSON.stringify("production"),
  },
  plugins: [entry, colours, licences],
  build: {
    // jsPDF loads these only for HTML and SVG, which the console does not use.
    rolldownOptions: { checks: { pluginTimings: false }, external: ["canvg", "html2canvas", "dompurify"] },
    outDir: "../../../dist/console",
    emptyOutDir: true,
    // No data: URLs: the content security policy would have to allow more, and browsers could not cache the files.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    reportCompressedSize: false,
    // Lists the bundled libraries with their licences: npm does not install them in a shop.
    license: { fileName: LICENCES },
  },
});
