/** Runs the built command `tillseal` as users do. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFailed, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { environmentWith } from "./environment.js";

export const CLI = join(PACKAGE_ROOT, "dist", "src", "cli.js");

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param cli path of another installation @param input for its standard input */
export function tillseal(
  args: readonly string[],
  variables: Record<string, string> = {},
  cli = CLI,
  input?: string,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    // A command that hangs fails its test with its output, and does not block the suite.
    const options = { env: environmentWith(variables), timeout: 170_000, killSignal: "SIGKILL" as const };
    const child = execFile(process.execPath, [cli, ...args], options, (error, stdout, stderr) => {
      const status = error ? (typeof error.code === "number" ? error.code : 1) : 0;
      resolve({ status, stdout, stderr });
    });
    if (input !== undefined) child.stdin?.end(input);
  });
}

/** A command that runs until it is stopped. */
export interface RunningCommand {
  readonly process: ChildProcess;
  /** Its output up to the moment it was ready. */
  readonly greeting: string;
  /** Its log so far. */
  readonly complaints: () => string;
  /** Exit status, once it has ended. */
  readonly exited: Promise<number | null>;
}

export interface RunningService extends RunningCommand {
  /** `http://127.0.0.1:4711`. */
  readonly url: string;
}

/** Starts a command that runs until the end of the test. @param greeted end of its greeting @param cli path of another installation */
export async function start(
  args: readonly string[],
  variables: Record<string, string> = {},
  greeted = "press Ctrl-C to stop\n",
  cli = CLI,
): Promise<RunningCommand> {
  const child = spawn(process.execPath, [cli, ...args], { env: environmentWith(variables) });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let greeting = "";
  let complaints = "";
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  // A command that ended too early is seen in its test only as a refused connection.
  onTestFailed(() => {
    const state = child.signalCode ?? child.exitCode ?? "running";
    process.stderr.write(`tillseal ${args.join(" ")} (${state}):\n${greeting}${complaints}\n`);
  });
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

/** Starts `tillseal serve` on a free port, until the end of the test. */
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
