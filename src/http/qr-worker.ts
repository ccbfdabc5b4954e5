/** The code of the thread that qr-thread.ts starts. */
import { parentPort } from "node:worker_threads";
import { qrCode } from "../fiscal/qr.js";

parentPort?.on("message", (url: string) => parentPort?.postMessage(qrCode(url, "png")));
