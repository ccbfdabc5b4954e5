import { defineConfig } from "@playwright/test";

/** Debian's Chromium, if run.mjs names no other; the flags make it work without graphics and without a network. */
const CHROMIUM = {
  executablePath: process.env.TILLSEAL_TEST_CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

export default defineConfig({
  testDir: ".",
  outputDir: "../../out/console/failed",
  fullyParallel: true,
  // Each worker needs a till, a browser and the card's cryptography: two cores carry two workers.
  workers: 2,
  // A busy machine may need three times as long as a quiet one. Only a failing test waits until the end.
  timeout: 120_000,
  // A test that needs its second try is printed as flaky.
  retries: 1,
  expect: { timeout: 30_000 },
  forbidOnly: process.env.CI === "true",
  reporter: [["list"], ["json", { outputFile: "../../out/console/report.json" }]],
  use: {
    launchOptions: CHROMIUM,
    locale: "en-GB",
    timezoneId: "Europe/Belgrade",
    viewport: { width: 1200, height: 900 },
    screenshot: "only-on-failure",
    trace: "off",
  },
});
