/** What a developer and a shop do on Windows, in order; prints a line for each step. run.mjs starts it in a namespace. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { developerScenes } from "./developer.mjs";
import { startPcscd, startWindows, stopWindows } from "./machine.mjs";
import { shopScenes } from "./shop.mjs";

const folder = resolve(process.argv[2] ?? "out");
const only = process.argv[3];
const named = (end) => {
  const name = readdirSync(folder).find((file) => file.endsWith(end));
  assert(name, `${folder} has no ${end}`);
  return join(folder, name);
};

let passed = 0;
let failed = 0;

/** @param scenes pairs of a name and a function, whose result is printed; a failure skips the rest */
async function play(title, scenes) {
  console.log(title);
  for (const [what, scene] of scenes) {
    try {
      const detail = await scene();
      passed += 1;
      console.log(`  ok    ${what}${detail === undefined ? "" : `: ${detail}`}`);
    } catch (error) {
      failed += 1;
      console.log(`  FAIL  ${what}: ${error.stack ?? error}`);
      return;
    }
  }
}

execFileSync("sh", ["-c", "ulimit -c 0"]);
startWindows();
try {
  if (only !== "shop") await play("the zip, as a developer uses it", developerScenes(named("-windows-x64.zip")));
  if (only !== "developer") {
    await startPcscd();
    await play("the setup, as a shop uses it", shopScenes(named("-windows-x64-setup.exe")));
  }
} finally {
  stopWindows();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
