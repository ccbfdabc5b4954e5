/**
 * Each PC/SC context has its own thread. libuv has only four threads, which also serve DNS, files and signatures, and a
 * hanging native call blocks its thread. So no libuv thread calls a card or waits for readers
 * (docs/decisions/0026-koffi.md).
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../../base/package-root.js";
import type { CardContext, PcscBinding, ReaderState, WatchContext } from "./binding.js";
import type { CallAnswer, Calls, Request } from "./koffi-worker.js";
import { PcscError } from "./pcsc-errors.js";
import type { Handle } from "./pcsc-library.js";

const WORKER = join(PACKAGE_ROOT, "dist", "src", "secure-element", "pcsc", "koffi-worker.js");

/** ms between attempts to end a wait. One attempt may not be enough: it has no effect just before the wait begins. */
const CANCEL_PAUSE_MS = 100;
const CANCEL_ATTEMPTS = 30;

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Makes calls on a thread, in order. */
class CallThread {
  private worker: Worker | undefined;
  private ended: Promise<void> = Promise.resolve();
  private readonly pending: Pending[] = [];

  get isBusy(): boolean {
    return this.pending.length > 0;
  }

  /** @throws the call's error; PcscError `no-module` if the thread cannot load koffi */
  call<K extends keyof Calls>(call: K, ...args: Parameters<Calls[K]>): Promise<ReturnType<Calls[K]>> {
    this.worker ??= this.begun();
    const { worker } = this;
    return new Promise((resolve, reject) => {
      this.pending.push({ resolve: resolve as Pending["resolve"], reject });
      worker.postMessage({ call, args } as Request);
    });
  }

  /** Releases the context and ends the thread after the running call. */
  async end(): Promise<void> {
    if (!this.worker) return;
    await this.call("release").catch(() => undefined);
    this.worker = undefined;
    await this.ended;
  }

  private begun(): Worker {
    const worker = new Worker(WORKER);
    this.ended = new Promise((resolve) => worker.once("exit", () => resolve()));
    worker.on("message", (answer: CallAnswer) => {
      const pending = this.pending.shift();
      if (answer.kind === "done") return pending?.resolve(answer.value);
      const { code, message } = answer;
      pending?.reject(code === undefined ? new Error(message) : new PcscError(code, message));
    });
    // The error of a call arrives as an answer, so this error means that the thread could not be loaded.
    worker.on("error", ({ message }) => {
      this.worker = undefined;
      for (const { reject } of this.pending.splice(0)) reject(new PcscError("no-module", message));
    });
    return worker;
  }
}

/** Only cancelling uses a libuv thread. A hanging pcscd blocks that thread, so only one call runs at a time. */
let isCancelling = false;

class KoffiWatch implements WatchContext {
  isStuck = false;
  private readonly thread = new CallThread();
  private context: Handle | undefined;

  async establish(): Promise<void> {
    this.context = await this.thread.call("establish");
  }

  wait(known: readonly ReaderState[], limitMs: number): Promise<readonly ReaderState[]> {
    return this.thread.call("wait", known, limitMs);
  }

  async release(): Promise<void> {
    const { context } = this;
    const wasWaiting = this.thread.isBusy;
    this.isStuck = true;
    const ended = this.thread.end().then(() => {
      this.isStuck = false;
    });
    for (let attempt = 0; this.isStuck && attempt < CANCEL_ATTEMPTS; attempt++) {
      if (wasWaiting && context !== undefined && !isCancelling) {
        isCancelling = true;
        const { cancelWait } = await import("./winscard.js");
        void cancelWait(context).finally(() => {
          isCancelling = false;
        });
      }
      await Promise.race([ended, delay(CANCEL_PAUSE_MS)]);
    }
  }
}

function koffiCard(): CardContext {
  const thread = new CallThread();
  return {
    connect: (reader) => thread.call("connect", reader),
    transmit: (command, protocol) => thread.call("transmit", command, protocol),
    disconnect: (disposition) => thread.call("disconnect", disposition),
    release: () => thread.end(),
  };
}

export const koffiBinding: PcscBinding = { module: "koffi", watcher: () => new KoffiWatch(), card: koffiCard };
