/**
 * The code of the thread that backup-schedule.ts starts. Sales go on in the main thread while this thread makes and
 * checks a copy.
 */
import { parentPort, workerData } from "node:worker_threads";
import { type BackupJob, makeBackup } from "./backup-job.js";

/** ms between two slices. */
const PAUSE_MS = 2;
const never = new Int32Array(new SharedArrayBuffer(4));
// This thread does nothing but backups, so it may block.
const pause = () => void Atomics.wait(never, 0, 0, PAUSE_MS);

// An error ends the thread, and its schedule gets the error.
parentPort?.postMessage(await makeBackup(workerData as BackupJob, pause));
