/** The code of the thread that store-thread.ts starts. */
import { parentPort, workerData } from "node:worker_threads";
import { checkBackups } from "./backups.js";
import { checkStore } from "./store.js";
import type { StoreJob } from "./store-thread.js";

const { dataDir, backupFolder, now, checked } = workerData as StoreJob;
// Only the lines of the store itself: the service's findings contain its reports, sales in doubt and damage.
const storeLines = checkStore(dataDir, false).checks.filter(({ subject }) => subject === "store");
parentPort?.postMessage([...storeLines, ...checkBackups(backupFolder, dataDir, now, checked)]);
