/**
 * Makes every file of a release twice and compares the bytes: the same commit makes the same packages, in any folder, time zone and
 * with any permissions of new files. Also compares the sizes with their budgets.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sizeFault } from "../../deploy/release-rules.mjs";
import { releaseSteps } from "../../deploy/release-steps.mjs";
import { check, equal } from "./check.mjs";

/** Two tarballs with their bills of materials, two packages for Debian, two for Windows. */
const FILES = 8;
const MAKERS = [
  { name: "first", umask: 0o022, TZ: "UTC" },
  { name: "second time", umask: 0o077, TZ: "Pacific/Auckland" },
];

export async function testSame(folder) {
  const [first, second] = MAKERS.map(({ name, umask, TZ }) => {
    const before = process.umask(umask);
    try {
      return makeAll(join(folder, name), { ...process.env, TZ });
    } finally {
      process.umask(before);
    }
  });
  await check(`a release has ${FILES} files besides its notes and checksums`, () => equal(first.size, FILES));
  for (const [name, content] of first) {
    await check(`${name} has the same bytes when it is made again`, () => {
      equal(sumOf(second.get(name)), sumOf(content));
      return sumOf(content);
    });
    await check(`${name} is within its budget`, () => {
      equal(sizeFault(name, content.length), undefined);
      return `${content.length} bytes`;
    });
  }
}

/** @returns contents by file name */
function makeAll(folder, env) {
  mkdirSync(folder, { recursive: true });
  for (const [, args] of releaseSteps(folder)) execFileSync(process.execPath, args, { stdio: "inherit", env });
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

const sumOf = (content) => createHash("sha256").update(content).digest("hex");
