/** Runs a job with backups in a separate thread, so that it never stops a sale. */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { EpochMs } from "../../base/epoch-ms.js";
import { PACKAGE_ROOT } from "../../base/package-root.js";
import type { Backups, CheckedBackups } from "./backup-files.js";
import type { BackupJob } from "./backup-job.js";

const WORKER = join(PACKAGE_ROOT, "dist", "src", "bookkeeping", "backup", "backup-worker.js");

/** Makes a backup, or checks whether the file of a backup is intact. */
export type BackupThreadJob = BackupJob | { readonly check: string };

/** @param started called with the thread, to end it @throws Error that says to people why the job failed */
export function inBackupThread<Result>(
  workerData: BackupThreadJob,
  started: (worker: Worker) => void = () => undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData });
    started(worker);
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread that makes backups has ended")));
  });
}

/** Lets SQLite read the good backups, the newest first, until one is intact. */
export async function checkedIn(
  { past }: Backups,
  now: () => EpochMs,
  started?: (worker: Worker) => void,
): Promise<CheckedBackups> {
  const broken: string[] = [];
  for (const { file } of past.filter(({ good }) => good)) {
    if (await inBackupThread<boolean>({ check: file }, started)) return { newest: { file, at: now() }, broken };
    broken.push(file);
  }
  return { newest: undefined, broken };
}
