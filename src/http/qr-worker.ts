/** The code of the thread that qr-thread.ts starts. */
import { parentPort } from "node:worker_threads";
import { qrCode } from "../fiscal/qr.js";

parentPort?.on("message", ({ id, url }: { id: number; url: string }) => {
  parentPort?.postMessage({ id, image: qrCode(url, "png") });
});
