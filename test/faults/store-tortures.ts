/** What people and disks do to the store: backups put back, files deleted, bytes that rot. */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "./call.js";
import { oneSignature } from "./process-tortures.js";
import type { Run } from "./run.js";
import type { Torture } from "./tortures.js";

const FILES = ["tillseal.db", "tillseal.db-wal", "tillseal.db-shm"] as const;
const FLIPS = 3;

function remove(run: Run, files: readonly string[]): void {
  for (const file of files) rmSync(join(run.dataDir, file), { force: true });
}

/** Store and write-ahead log, while nothing writes to them. */
function keepCopy(run: Run): () => void {
  const kept = FILES.slice(0, 2).filter((file) => existsSync(join(run.dataDir, file)));
  for (const file of kept) copyFileSync(join(run.dataDir, file), join(run.folder, `kept-${file}`));
  return () => {
    remove(run, FILES);
    for (const file of kept) copyFileSync(join(run.folder, `kept-${file}`), join(run.dataDir, file));
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
      run.moments.once(
        "before",
        ({ signature }) => signature === 2,
        () => {
          const putBack = keepCopy(run);
          run.moments.once(
            stage,
            ({ signature }) => signature === 5,
            () => {
              run.crash("an older backup is put back", putBack);
              return stage === "before" ? Uint8Array.of(0x6f, 0x00) : undefined;
            },
          );
          return undefined;
        },
      );
    },
  },
  {
    name: "SIGKILL, then the write-ahead log is deleted",
    reality: "real",
    mayReport: true,
    alone: true,
    arm: (run) =>
      run.moments.once("after", oneSignature(run), () => {
        run.crash("the write-ahead log is deleted", () => remove(run, FILES.slice(1)));
        return undefined;
      }),
  },
  {
    name: "SIGKILL, then the store is deleted",
    reality: "real",
    mayReport: true,
    alone: true,
    arm: (run) =>
      run.moments.once("after", oneSignature(run), () => {
        run.crash("the store is deleted", () => remove(run, FILES));
        return undefined;
      }),
  },
  { name: "bytes of the store rot", reality: "simulated", alone: true, atEnd: rot },
];

/** A changed answer must not come with 200; afterwards the store is put back for the verdict. */
async function rot(run: Run): Promise<void> {
  const putBack = keepCopy(run);
  const file = join(run.dataDir, FILES[0]);
  const bytes = readFileSync(file);
  for (let i = 0; i < FLIPS; i++) {
    const at = run.chance.between(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << run.chance.between(0, 7));
  }
  writeFileSync(file, bytes);
  const service = await run.second();
  if (service) {
    for (const [id, first] of run.answers) {
      const outcome = await call(service.url, { method: "GET", path: `/api/v3/invoices/${id}` });
      const changed = typeof outcome !== "string" && outcome.status === 200 && outcome.text !== first;
      if (changed) run.violations.push(`the rotten answer of ${id} came with 200`);
    }
    await service.kill();
  }
  putBack();
}
