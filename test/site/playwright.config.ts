import { defineConfig } from "@playwright/test";
import console from "../console/playwright.config.js";

/** The browser of the console's tests. */
export default defineConfig({
  testDir: ".",
  outputDir: "../../out/site-failed",
  reporter: "list",
  ...(console.use === undefined ? {} : { use: console.use }),
});
