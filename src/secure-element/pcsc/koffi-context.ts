/**
 * Each PC/SC context has its own thread. libuv has only four threads, which also serve DNS, files and signatures, and a
 * hanging native call blocks its thread. So no libuv thread calls a card or waits for readers
 * (docs/decisions/0026-koffi.md).
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../../base/package-root.js";
import {
  BindingMissing,
  type CardContext,
  type PcscBinding,
  PcscError,
  type ReaderState,
  type WatchContext,
} from "./binding.js";
import type { Answer, Calls, Request } from "./koffi-worker.js";
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

  /** @throws the call's error; BindingMissing if the thread cannot load koffi */
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
    worker.on("message", (answer: Answer) => {
      const pending = this.pending.shift();
      if (answer.kind === "done") pending?.resolve(answer.value);
      else pending?.reject(errorOf(answer));
    });
    // The error of a call arrives as an answer, so this error means that the thread could not be loaded.
    worker.on("error", (error) => this.failed(error));
    return worker;
  }

  private failed({ message }: Error): void {
    this.worker = undefined;
    for (const { reject } of this.pending.splice(0)) reject(new BindingMissing("no-module", message));
  }
}

class KoffiWatch implements WatchContext {
  private readonly thread = new CallThread();
  private context: Handle | undefined;
  private stuck = false;

  get isStuck(): boolean {
    return this.stuck;
  }

  async establish(): Promise<void> {
    this.context = await this.thread.call("establish");
  }

  wait(known: readonly ReaderState[], limit: number): Promise<readonly ReaderState[]> {
    return this.thread.call("wait", known, limit);
  }

  async release(): Promise<void> {
    const wasWaiting = this.thread.isBusy;
    this.stuck = true;
    const ended = this.thread.end().then(() => {
      this.stuck = false;
    });
    for (let attempt = 0; this.stuck && attempt < CANCEL_ATTEMPTS; attempt++) {
      if (wasWaiting && this.context !== undefined) void cancel(this.context);
      await Promise.race([ended, delay(CANCEL_PAUSE_MS)]);
    }
  }
}

class KoffiCard implements CardContext {
  private readonly thread = new CallThread();

  constructor(private readonly reader: string) {}

  connect(share: number, protocols: number): Promise<number> {
    return this.thread.call("connect", this.reader, share, protocols);
  }

  transmit(command: Uint8Array, protocol: number): Promise<Uint8Array> {
    return this.thread.call("transmit", command, protocol);
  }

  disconnect(disposition: number): Promise<void> {
    return this.thread.call("disconnect", disposition);
  }

  release(): Promise<void> {
    return this.thread.end();
  }
}

export const koffiBinding: PcscBinding = {
  module: "koffi",
  watcher: () => new KoffiWatch(),
  card: (reader) => new KoffiCard(reader),
};

let cancelling: Promise<void> | undefined;

/**
 * Ends a wait. Only this call uses a libuv thread; a hanging pcscd blocks that thread, so only one call runs at a time.
 */
async function cancel(context: Handle): Promise<void> {
  if (cancelling) return;
  const { cancelWait } = await import("./winscard.js");
  cancelling ??= cancelWait(context).finally(() => {
    cancelling = undefined;
  });
  await cancelling;
}

function errorOf(answer: Exclude<Answer, { kind: "done" }>): Error {
  switch (answer.kind) {
    case "refused":
      return new PcscError(answer.code, answer.message);
    case "missing":
      return new BindingMissing(answer.missing, answer.message);
    case "failed":
      return new Error(answer.message);
  }
}
