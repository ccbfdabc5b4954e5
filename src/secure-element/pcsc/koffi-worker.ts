/** The thread of koffi-context.ts: it makes one call after the other, and blocks while PC/SC does. */
import { parentPort } from "node:worker_threads";
import { messageOf } from "../../base/thrown.js";
import { BindingMissing, PcscError } from "./binding.js";
import { Winscard } from "./winscard.js";

export type Calls = Pick<Winscard, "establish" | "wait" | "connect" | "transmit" | "disconnect" | "release">;

export type Request = {
  readonly [K in keyof Calls]: { readonly call: K; readonly args: Parameters<Calls[K]> };
}[keyof Calls];

export type Answer =
  | { readonly outcome: "done"; readonly value: unknown }
  | { readonly outcome: "refused"; readonly code: number; readonly message: string }
  | { readonly outcome: "missing"; readonly missing: BindingMissing["missing"]; readonly message: string }
  | { readonly outcome: "failed"; readonly message: string };

const calls: Calls = new Winscard();

parentPort?.on("message", ({ call, args }: Request) => {
  parentPort?.postMessage(answerOf(call, args));
  // A release is the last call; without a port the thread ends.
  if (call === "release") parentPort?.close();
});

function answerOf(call: keyof Calls, args: Request["args"]): Answer {
  try {
    return { outcome: "done", value: Reflect.apply(calls[call], calls, args) as unknown };
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof PcscError) return { outcome: "refused", code: error.code, message };
    if (error instanceof BindingMissing) return { outcome: "missing", missing: error.missing, message };
    return { outcome: "failed", message };
  }
}
