/** `npm run bench:console`: how large the console is, and how soon a browser shows it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { World } from "../../emulator/world/world.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const ROUNDS = 5;
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"];

const files = readdirSync(join(PACKAGE_ROOT, "dist", "console"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
process.stdout.write(`compressed: ${(bytes / 1000).toFixed(1)} kB in ${files.length} files\n`);

const world = await World.open();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
const paints: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  // Nothing is cached from the round before.
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${world.url}/`);
  await page.locator(".verdict").waitFor();
  const paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
  const shown = "performance.now()";
  paints.push(await page.evaluate<number>(paint));
  process.stdout.write(
    `first paint ${paints[round]?.toFixed(0)} ms, state shown within ${(await page.evaluate<number>(shown)).toFixed(0)} ms\n`,
  );
}
const median = paints.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
process.stdout.write(`first paint: ${median.toFixed(0)} ms (median of ${ROUNDS})\n`);
await browser.close();
await world.close();
