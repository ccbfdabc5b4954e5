/** Faults of the store, made by people and disks: restored backups, deleted files, corrupted bytes. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { STORE_FOLDER } from "../../src/ledger/store-folder.js";
import { CLI, environmentWith } from "../support/environment.js";
import { call, type Reply } from "./call.js";
import { crashAt, NOT_DONE, oneSignature } from "./process-tortures.js";
import type { Run } from "./run.js";
import type { ServiceProcess } from "./service-process.js";
import type { Exchange } from "./slot.js";
import type { Torture } from "./tortures.js";

const FILES = ["tillseal.db", "tillseal.db-wal", "tillseal.db-shm"] as const;
const storeOf = (run: Run) => join(run.dataDir, STORE_FOLDER);
const HOLDER = join(PACKAGE_ROOT, "test", "support", "store-holder.mjs");
const FLIPS = 3;
/** Shorter and longer than the service waits for the lock. */
const HELD_MS = [500, 7_000] as const;
const GETS_IN_MS = 5_000;
const CARD_READ_MS = 20_000;

function remove(run: Run, files: readonly string[]): void {
  for (const file of files) rmSync(join(storeOf(run), file), { force: true });
}

/** Store and write-ahead log, while nothing writes to them. */
export function keepCopy(run: Run): () => void {
  const kept = FILES.slice(0, 2).filter((file) => existsSync(join(storeOf(run), file)));
  for (const file of kept) copyFileSync(join(storeOf(run), file), join(run.folder, `kept-${file}`));
  return () => {
    remove(run, FILES);
    mkdirSync(storeOf(run), { recursive: true });
    for (const file of kept) copyFileSync(join(run.folder, `kept-${file}`), join(storeOf(run), file));
  };
}

export const STORE_TORTURES: readonly Torture[] = [
  {
    name: "older backup put back",
    reality: "real",
    mayReport: true,
    alone: true,
    arm: (run) => {
      const stage = run.chance.pick(["before", "after"] as const);
      const isNth = (nth: number) => (exchange: Exchange) => exchange.signature === nth;
      run.moments.once("before", isNth(2), () => {
        const putBack = keepCopy(run);
        run.moments.once(stage, isNth(5), () => {
          run.crash("an older backup is put back", putBack);
          return stage === "before" ? NOT_DONE : undefined;
        });
      });
    },
  },
  {
    name: "SIGKILL, then the write-ahead log is deleted",
    reality: "real",
    mayReport: true,
    alone: true,
    arm: (run) => crashAt(run, "after", "the write-ahead log is deleted", () => remove(run, FILES.slice(1))),
  },
  {
    name: "SIGKILL, then the store is deleted",
    reality: "real",
    mayReport: true,
    alone: true,
    arm: (run) => crashAt(run, "after", "the store is deleted", () => giveUp(run)),
  },
  {
    name: "another program holds the store",
    reality: "real",
    alone: true,
    arm: (run) => {
      const ms = run.chance.between(...HELD_MS);
      run.moments.once(run.chance.pick(["before", "after"] as const), oneSignature(run), () => {
        run.meanwhile(`another program holds the store for ${ms} ms`, () => hold(run, ms));
      });
    },
  },
  { name: "bytes of the store rot", reality: "simulated", alone: true, atEnd: rot },
  {
    name: "answerForm changed between an answer and its repeat",
    reality: "real",
    alone: true,
    atEnd: async (run) => {
      const service = await run.second({ "answer-form": "device" });
      const same = service ? await compareAll(run, service, "another answer after answerForm was changed") : 0;
      if (same < run.answers.size) run.violations.push(`only ${same} answers came again after answerForm was changed`);
    },
  },
];

/** The start after it is refused, so a person gives the receipts up. */
async function giveUp(run: Run): Promise<void> {
  remove(run, FILES);
  const lacking = await run.second();
  if (lacking) run.violations.push("a service started without the store that its folder has had");
  await lacking?.kill();
  execFileSync(process.execPath, [CLI, "restore", "--none", "--data-dir", run.dataDir], { env: environmentWith() });
}

/** It tries repeatedly, and gets the lock between two commits. */
async function hold(run: Run, ms: number): Promise<void> {
  const holder = spawn(process.execPath, [HOLDER, join(storeOf(run), FILES[0])]);
  const ended = once(holder, "exit");
  let output = "";
  holder.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const holds = await run.eventually(async () => output.includes("holds"), GETS_IN_MS);
  run.note(holds ? "another program holds the store" : "another program did not get hold of the store");
  if (holds) await sleep(ms);
  // One that is still trying does not read its input.
  if (!holds) holder.kill("SIGKILL");
  holder.stdin.end();
  await ended;
}

/** A changed answer must not come with 200; afterwards the store is restored for the verdict. */
async function rot(run: Run): Promise<void> {
  const putBack = keepCopy(run);
  const file = join(storeOf(run), FILES[0]);
  const bytes = readFileSync(file);
  for (let i = 0; i < FLIPS; i++) {
    const at = run.chance.between(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << run.chance.between(0, 7));
  }
  writeFileSync(file, bytes);
  const service = await run.second();
  if (service) await compareAll(run, service, "a rotten answer");
  putBack();
}

/**
 * An answer is the first one, or a refusal that does not involve the card.
 * @param known whether each sale must be known: a repeat of an unknown one would be signed again
 */
export async function compareAll(run: Run, service: ServiceProcess, what: string, known = false): Promise<number> {
  let same = 0;
  for (const [id, first] of run.answers) {
    const { status, text } = await oncePossible(run, service.url, id);
    if (status === 200 && text === first) same++;
    if (known && status === 404) run.violations.push(`${id}: the sale has become unknown`);
    if (status === 200 && text !== first) run.violations.push(`${id}: ${what} came with 200`);
  }
  await service.kill();
  run.note(`${same} of ${run.answers.size} answers are as they were`);
  return same;
}

/** A service that has just started may not have read its card. */
async function oncePossible(run: Run, url: string, id: string): Promise<Pick<Reply, "status" | "text">> {
  const replies: Reply[] = [];
  await run.eventually(async () => {
    const outcome = await call(url, { method: "GET", path: `/api/v3/invoices/${id}` });
    if (typeof outcome !== "string" && outcome.code !== "1300") replies.push(outcome);
    return replies.length > 0;
  }, CARD_READ_MS);
  return replies[0] ?? { status: 0, text: "" };
}
