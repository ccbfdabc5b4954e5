/**
 * Preloaded into a process: kills it before the nth change of the file system after killAt(nth). What SQLite itself writes is not counted.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

let left = 0;
globalThis.killAt = (nth) => {
  left = nth;
};
for (const name of ["copyFileSync", "mkdirSync", "renameSync", "rmSync", "writeFileSync", "fsyncSync", "chmodSync"]) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (--left === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
