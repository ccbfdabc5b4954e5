/**
 * Preloaded into a process: kills it before its nth change of the file system (TILLSEAL_TEST_KILL_AT). What SQLite itself writes is not
 * counted. A script may begin to count later: globalThis.killAt(nth).
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

let left = Number(process.env.TILLSEAL_TEST_KILL_AT);
globalThis.killAt = (nth) => {
  left = nth;
};
for (const name of ["copyFileSync", "renameSync", "rmSync", "writeFileSync", "fsyncSync", "chmodSync"]) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (--left === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
