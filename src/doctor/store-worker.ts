/** The code of the thread that store-thread.ts starts. */
import { parentPort, workerData } from "node:worker_threads";
import { checkBackups } from "./backups.js";
import { checkStore } from "./store.js";
import type { StoreJob, StoreLines } from "./store-thread.js";

const { folder, backups, now } = workerData as StoreJob;
const lines: StoreLines = [
  // Only the lines of the store itself: the service's findings contain its reports, sales in doubt and damage.
  ...checkStore(folder, false).checks.filter(({ subject }) => subject === "store"),
  ...checkBackups(backups, folder, now),
];
parentPort?.postMessage(lines);
