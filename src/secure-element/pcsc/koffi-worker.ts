/** The thread of koffi-context.ts. It makes one call after the other, and each call blocks it. */
import { parentPort } from "node:worker_threads";
import { messageOf } from "../../base/thrown.js";
import { type PcscError, pcscCode } from "./pcsc-errors.js";
import { Winscard } from "./winscard.js";

export type Calls = Pick<Winscard, "establish" | "wait" | "connect" | "transmit" | "disconnect" | "release">;

export type Request = {
  readonly [K in keyof Calls]: { readonly call: K; readonly args: Parameters<Calls[K]> };
}[keyof Calls];

export type CallAnswer =
  | { readonly kind: "done"; readonly value: unknown }
  /** `code` is undefined if the error does not come from PC/SC. */
  | { readonly kind: "failed"; readonly code: PcscError["code"] | undefined; readonly message: string };

const calls: Calls = new Winscard();

parentPort?.on("message", ({ call, args }: Request) => {
  parentPort?.postMessage(answerOf(call, args));
  // A release is the last call. Closing the port ends the thread.
  if (call === "release") parentPort?.close();
});

function answerOf(call: keyof Calls, args: Request["args"]): CallAnswer {
  try {
    return { kind: "done", value: Reflect.apply(calls[call], calls, args) as unknown };
  } catch (error) {
    return { kind: "failed", code: pcscCode(error), message: messageOf(error) };
  }
}
