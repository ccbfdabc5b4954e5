/** Another process that locks a store. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const PROGRAM = fileURLToPath(new URL("./store-holder.mjs", import.meta.url));

export interface StoreHolder {
  holds(): boolean;
  /** Resolves when the store is unlocked again. */
  release(): Promise<void>;
}

/** Resolves when it has begun to try. */
export async function startStoreHolder(file: string): Promise<StoreHolder> {
  const program = spawn(process.execPath, [PROGRAM, file], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(program, "exit");
  onTestFinished(async () => {
    program.kill("SIGKILL");
    await ended;
  });
  let output = "";
  program.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await Promise.race([once(program.stdout, "data"), ended]);
  return {
    holds: () => output.includes("holds"),
    release: async () => {
      program.stdin.end();
      await ended;
    },
  };
}
