/**
 * The code of the thread that backup-schedule.ts starts. Sales go on in the main thread while this thread makes and
 * checks a copy.
 */
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../base/thrown.js";
import { type BackupJob, type BackupMade, makeBackup } from "./backup-job.js";

export type BackupAnswer = { readonly made: BackupMade } | { readonly problem: string };

/** ms between two slices. */
const PAUSE_MS = 2;
const never = new Int32Array(new SharedArrayBuffer(4));
// This thread does nothing but backups, so it may block.
const pause = () => void Atomics.wait(never, 0, 0, PAUSE_MS);

makeBackup(workerData as BackupJob, pause).then(
  (made) => parentPort?.postMessage({ made } satisfies BackupAnswer),
  (error: unknown) => {
    const problem = messageOf(error);
    parentPort?.postMessage({ problem } satisfies BackupAnswer);
  },
);
