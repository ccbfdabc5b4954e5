/** Checks the store and its backups in a separate thread, because sales wait for whatever the main thread reads. */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { EpochMs } from "../base/epoch-ms.js";
import { PACKAGE_ROOT } from "../base/package-root.js";
import { messageOf } from "../base/thrown.js";
import type { CheckedBackups } from "../bookkeeping/backup/backup-files.js";
import { type Check, fail } from "./check.js";

const WORKER = join(PACKAGE_ROOT, "dist", "src", "doctor", "store-worker.js");

export interface StoreJob {
  readonly dataDir: string;
  readonly backupFolder: string | undefined;
  readonly now: EpochMs;
  readonly checked: CheckedBackups | undefined;
}

export async function checkStoreInThread(workerData: StoreJob): Promise<readonly Check[]> {
  try {
    return await new Promise<readonly Check[]>((resolve, reject) => {
      const worker = new Worker(WORKER, { workerData });
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", () => reject(new Error("the thread that checks the store has ended")));
    });
  } catch (error) {
    return [fail("store", messageOf(error))];
  }
}
