/** The memory that JavaScript still uses after many sales, buffers included. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { times } from "./client.js";
import type { Group } from "./row.js";
import { invoice, withFolder, withService } from "./service.js";

const CONNECTIONS = 25;
const SALES = 10_000;
const RUNS = 3;
const MB = 1024 * 1024;
/** ms between two looks for the answer of the process. */
const POLL_INTERVAL_MS = 50;

/** Makes a process write its live memory into a file when it gets a signal. V8 frees buffers only some time after a collection. */
const reporter = (file: string) => `process.on("SIGUSR2", () => {
  global.gc();
  setTimeout(() => {
    global.gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    require("node:fs").writeFileSync(${JSON.stringify(file)}, String(heapUsed + arrayBuffers));
  }, 2000);
});`;

export const heap: Group = () =>
  withFolder(async (folder) => {
    const [script, answer] = [join(folder, "reporter.cjs"), join(folder, "heap")];
    writeFileSync(script, reporter(answer));
    const live = async (pid: number) => {
      writeFileSync(answer, "");
      process.kill(pid, "SIGUSR2");
      while (readFileSync(answer, "utf8") === "") await sleep(POLL_INTERVAL_MS);
      return Number(readFileSync(answer, "utf8")) / MB;
    };
    const [own, other]: [number[], number[]] = [[], []];
    for (let run = 0; run < RUNS; run++)
      await withService({ options: ["--expose-gc", "--require", script] }, async ({ url, pid }) => {
        other.push(await live(pid));
        const sell = () => times(url, invoice({ qr: false }), SALES / CONNECTIONS);
        await Promise.all(Array.from({ length: CONNECTIONS }, sell));
        own.push(await live(pid));
      });
    const name = `live heap after ${SALES.toLocaleString("en-US")} sales`;
    return [{ name, beside: "before them", own, other, unit: "MB" }];
  });
