/** The built command `tillseal`, run as people run it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import { environmentWith } from "./environment.js";

export const CLI = join(PACKAGE_ROOT, "dist", "src", "cli.js");

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param cli of another installation */
export function tillseal(
  args: readonly string[],
  variables: Record<string, string> = {},
  cli = CLI,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    // A command that hangs fails its test with what it has printed, instead of taking the suite along.
    const options = { env: environmentWith(variables), timeout: 170_000, killSignal: "SIGKILL" as const };
    execFile(process.execPath, [cli, ...args], options, (error, stdout, stderr) => {
      const status = error ? (typeof error.code === "number" ? error.code : 1) : 0;
      resolve({ status, stdout, stderr });
    });
  });
}

/** A command that runs until it is ended. */
export interface RunningCommand {
  readonly process: ChildProcess;
  /** Everything that it printed when it was ready. */
  readonly greeting: string;
  /** Everything that it has written to its log. */
  readonly complaints: () => string;
  /** Exit status, once it has ended. */
  readonly exited: Promise<number | null>;
}

export interface RunningService extends RunningCommand {
  /** `http://127.0.0.1:4711`. */
  readonly url: string;
}

/** A command that runs until the test is over. @param greeted what its greeting ends with @param cli of another installation */
export async function start(
  args: readonly string[],
  variables: Record<string, string> = {},
  greeted = "Ctrl-C stops it\n",
  cli = CLI,
): Promise<RunningCommand> {
  const child = spawn(process.execPath, [cli, ...args], { env: environmentWith(variables) });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let greeting = "";
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      greeting += chunk.toString();
      if (greeting.endsWith(greeted)) resolve();
    });
    child.once("exit", () => reject(new Error(`${args[0]} ended: ${complaints}`)));
  });
  return { process: child, greeting, complaints: () => complaints, exited };
}

/** `tillseal serve` on a free port, until the test is over. */
export async function serve(
  args: readonly string[],
  variables: Record<string, string> = {},
  cli = CLI,
): Promise<RunningService> {
  const running = await start(["serve", "--port", "0", ...args], variables, "\nready\n", cli);
  const url = /http:\/\/[^/]+/.exec(running.greeting)?.[0];
  if (!url) throw new Error(`no address in ${running.greeting}`);
  return { ...running, url };
}
