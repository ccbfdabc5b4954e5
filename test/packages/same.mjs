/** Makes every file of a release twice and compares the bytes: the same commit makes the same packages. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { check, equal } from "./check.mjs";

const MAKERS = ["npm-package.mjs", "production-package.mjs", "debian/build.mjs", "windows/build.mjs"];
const FILES = 9;

export async function testSame(folder) {
  const [first, second] = ["first", "second"].map((name) => makeAll(join(folder, name)));
  await check(`a release has ${FILES} files besides its notes and checksums`, () => equal(first.size, FILES));
  for (const [name, sum] of first) {
    await check(`${name} has the same bytes when it is made again`, () => equal(second.get(name), sum));
  }
}

/** @returns SHA-256 sums by file name */
function makeAll(folder) {
  mkdirSync(folder, { recursive: true });
  for (const maker of MAKERS) execFileSync(process.execPath, [join("deploy", maker), folder], { stdio: "inherit" });
  const sums = readdirSync(folder).map((name) => [name, sumOf(join(folder, name))]);
  return new Map(sums);
}

const sumOf = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");
