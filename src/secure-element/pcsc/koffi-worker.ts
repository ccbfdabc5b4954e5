/**
 * The thread of koffi-context.ts. The thread makes one call after the other, and each call blocks it until the call
 * ends.
 */
import { parentPort } from "node:worker_threads";
import { messageOf } from "../../base/thrown.js";
import { BindingMissing, PcscError } from "./binding.js";
import { Winscard } from "./winscard.js";

export type Calls = Pick<Winscard, "establish" | "wait" | "connect" | "transmit" | "disconnect" | "release">;

export type Request = {
  readonly [K in keyof Calls]: { readonly call: K; readonly args: Parameters<Calls[K]> };
}[keyof Calls];

export type Answer =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "refused"; readonly code: number; readonly message: string }
  | { readonly kind: "missing"; readonly missing: BindingMissing["missing"]; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

const calls: Calls = new Winscard();

parentPort?.on("message", ({ call, args }: Request) => {
  parentPort?.postMessage(answerOf(call, args));
  // A release is the last call. Closing the port ends the thread.
  if (call === "release") parentPort?.close();
});

function answerOf(call: keyof Calls, args: Request["args"]): Answer {
  try {
    return { kind: "done", value: Reflect.apply(calls[call], calls, args) as unknown };
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof PcscError) return { kind: "refused", code: error.code, message };
    if (error instanceof BindingMissing) return { kind: "missing", missing: error.missing, message };
    return { kind: "failed", message };
  }
}
