import { defineConfig } from "vite";

/** The console: static files inside the package, served by the service itself. */
export default defineConfig({
  root: "src/console/web",
  base: "/console/",
  publicDir: false,
  build: {
    outDir: "../../../dist/console",
    emptyOutDir: true,
    // What a data: URL would save, the content security policy and the cache cost again.
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    reportCompressedSize: false,
  },
});
