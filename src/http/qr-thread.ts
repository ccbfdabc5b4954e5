/**
 * Draws QR codes in a second thread while sales wait (docs/decisions/0017-threads.md). The process starts this thread
 * when the first QR code needs it. If the second thread cannot run, the caller's thread draws.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../base/package-root.js";
import { qrCode } from "../fiscal/qr.js";

const WORKER = join(PACKAGE_ROOT, "dist", "src", "http", "qr-worker.js");

export class QrThread {
  private worker: Worker | undefined;
  private isBroken = false;
  /** The thread draws in order. */
  private readonly wanted: { readonly url: string; readonly resolve: (image: string) => void }[] = [];

  constructor(private readonly file = WORKER) {}

  /** Draws the QR code of a URL. @returns a PNG as a data URI */
  draw(url: string): Promise<string> {
    if (this.isBroken) return Promise.resolve(qrCode(url, "png"));
    this.worker ??= this.begun();
    const { worker } = this;
    return new Promise((resolve) => {
      this.wanted.push({ url, resolve });
      worker.postMessage(url);
    });
  }

  private begun(): Worker {
    const worker = new Worker(this.file);
    worker.on("message", (image: string) => this.wanted.shift()?.resolve(image));
    worker.on("error", () => this.giveUp());
    worker.on("exit", () => this.giveUp());
    // The second thread must not keep the process alive. A listener for messages references it, so this comes last.
    worker.unref();
    return worker;
  }

  private giveUp(): void {
    this.isBroken = true;
    for (const { url, resolve } of this.wanted.splice(0)) resolve(qrCode(url, "png"));
  }
}
