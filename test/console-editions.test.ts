/** The console of each edition: a shop's console contains nothing of the emulator. */
import { join, relative } from "node:path";
import { build } from "vite";
import { expect, it, vi } from "vitest";
import { FAULT_TEXTS } from "../harness/console/texts/faults.js";
import { ENGLISH, SERBIAN } from "../harness/console/texts/pages.js";
import { forwardSlashes } from "../src/base/forward-slashes.js";
import { PACKAGE_ROOT } from "../src/base/package-root.js";

interface Console {
  /** Source files, such as `src/console/web/app.tsx`. */
  readonly files: readonly string[];
  /** Everything that a browser loads. */
  readonly text: string;
}

async function built(edition: "production" | "development"): Promise<Console> {
  vi.stubEnv("TILLSEAL_EDITION", edition);
  const result = await build({
    configFile: join(PACKAGE_ROOT, "vite.config.ts"),
    logLevel: "error",
    build: { write: false },
  });
  vi.unstubAllEnvs();
  if (!("output" in result)) throw new Error("the console is one build");
  const parts = result.output;
  const ids = parts.flatMap((part) => (part.type === "chunk" ? Object.keys(part.modules) : []));
  return {
    files: ids.map((id) => forwardSlashes(relative(PACKAGE_ROOT, id))).filter((file) => !file.includes("node_modules")),
    text: parts.map((part) => (part.type === "chunk" ? part.code : String(part.source))).join("\n"),
  };
}

const ofEmulator = ({ files }: Console) => files.filter((file) => /^(emulator|harness)\//.test(file));

/** Long enough to be no part of a shop's text. */
const EMULATOR_TEXTS = [
  ...Object.values(ENGLISH),
  ...Object.values(SERBIAN),
  ...Object.values(FAULT_TEXTS).map(({ meaning }) => meaning),
].filter((text) => text.length > 25);
const emulatorTextsIn = ({ text }: Console) => EMULATOR_TEXTS.filter((one) => text.includes(one));

it("the console has the emulator's pages in the full edition", async () => {
  const full = await built("development");
  expect(full.files).toContain("src/console/web/app.tsx");
  expect(ofEmulator(full)).toContain("harness/console/card-page.tsx");
  expect(full.text).toContain("/control");
  expect(emulatorTextsIn(full)).toEqual(EMULATOR_TEXTS);
});

it("the console contains nothing of the emulator in a shop", async () => {
  const shop = await built("production");
  expect(shop.files).toContain("src/console/web/app.tsx");
  expect(ofEmulator(shop)).toEqual([]);
  expect(shop.text).not.toContain("/control");
  expect(emulatorTextsIn(shop)).toEqual([]);
});
