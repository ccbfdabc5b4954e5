/** Another program that uses the same card through PC/SC. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const PROGRAM = fileURLToPath(new URL("./other-program.mjs", import.meta.url));

type Program = ChildProcessByStdio<Writable, Readable, null>;

async function finished(mode: string): Promise<void> {
  const status = await ended(start(mode));
  if (status !== 0) throw new Error(`the other program ended with ${status}`);
}

/** Resolves when the card was reset. */
export const resetByAnotherProgram = () => finished("reset");

/** Resolves when it has selected the PKI applet and left the card. */
export const selectedByAnotherProgram = () => finished("select");

/** Resolves when it has locked the card; the result releases it. */
export async function holdByAnotherProgram(): Promise<() => Promise<void>> {
  const program = start("hold");
  await new Promise<void>((resolve, reject) => {
    program.stdout.once("data", () => resolve());
    program.once("exit", (status) => reject(new Error(`the other program ended with ${status}`)));
  });
  return async () => {
    program.stdin.end();
    await ended(program);
  };
}

function start(mode: string): Program {
  const program = spawn(process.execPath, [PROGRAM, mode], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void program.kill("SIGKILL"));
  return program;
}

function ended(program: Program): Promise<number | null> {
  if (program.exitCode !== null) return Promise.resolve(program.exitCode);
  return new Promise((resolve) => program.once("exit", resolve));
}
