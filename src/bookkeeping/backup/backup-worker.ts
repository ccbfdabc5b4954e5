/** The code of the thread that makes and checks copies while sales go on in the main thread: backup-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { isIntactFile } from "../../ledger/backup.js";
import { makeBackup } from "./backup-job.js";
import type { BackupThreadJob } from "./backup-thread.js";

/** ms between two slices. */
const PAUSE_MS = 2;
const never = new Int32Array(new SharedArrayBuffer(4));
// This thread does nothing but backups, so it may block.
const pause = () => void Atomics.wait(never, 0, 0, PAUSE_MS);

// An error ends the thread, and its schedule gets the error.
const job = workerData as BackupThreadJob;
parentPort?.postMessage("check" in job ? isIntactFile(job.check) : await makeBackup(job, pause));
