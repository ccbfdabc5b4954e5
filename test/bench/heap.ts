/** The memory that is still used in V8's heap after many sales. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rate } from "./client.js";
import type { Group } from "./row.js";
import { invoice, withService } from "./service.js";

const CONNECTIONS = 32;
const SALES = 10_000;
/** s of selling between two looks. */
const STRETCH = 2;
const MB = 1024 * 1024;
/** ms between two looks for the answer of the process. */
const LOOK_MS = 50;

/** Makes a process write its live heap into a file when it gets a signal. */
const reporter = (file: string) => `process.on("SIGUSR2", () => {
  global.gc();
  require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.memoryUsage().heapUsed));
});`;

export const heap: Group = async () => {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-heap-"));
  const [script, answer] = [join(folder, "reporter.cjs"), join(folder, "heap")];
  writeFileSync(script, reporter(answer));
  try {
    return await withService({ options: ["--expose-gc", "--require", script] }, async ({ url, pid }) => {
      const live = async () => {
        writeFileSync(answer, "");
        process.kill(pid, "SIGUSR2");
        while (readFileSync(answer, "utf8") === "") await sleep(LOOK_MS);
        return Number(readFileSync(answer, "utf8")) / MB;
      };
      const before = await live();
      let sold = 0;
      while (sold < SALES) sold += (await rate(url, invoice({ qr: false }), CONNECTIONS, STRETCH)) * STRETCH;
      const name = `live heap after ${SALES.toLocaleString("en-US")} sales`;
      return [{ name, value: (await live()) - before, goal: 20, higherIsBetter: false, unit: "MB" }];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
