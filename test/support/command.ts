/** Runs the command `tillseal`, in this process and as users do. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, onTestFailed, onTestFinished } from "vitest";
import { CLI, environmentWith } from "./environment.js";
import { TEST_LOG } from "./log.js";

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Begins a command in this process, which costs a fifteenth of a process. @returns its result, when it has ended or runs on */
async function begin(args: readonly string[], variables: Record<string, string>, input?: string) {
  const [{ makeProgram, runProgram }, { runIn }] = await Promise.all([
    import("../../src/commands/program.js"),
    import("../../src/commands/surroundings.js"),
  ]);
  const stream = () => new PassThrough({ highWaterMark: 2 ** 30, encoding: "utf8" });
  const events = new EventEmitter();
  const exit = (status: number) => void events.emit("exit", status);
  const streams = { stdin: stream(), stdout: stream(), stderr: stream() };
  if (input !== undefined) streams.stdin.end(input);
  const around = Object.assign(events, { ...streams, env: environmentWith(variables), exit });
  const exited = once(events, "exit");
  const status = await runIn(around, async () => runProgram(await makeProgram(), args));
  const written = (one: PassThrough) => (one.read() as string | null) ?? "";
  const result: CommandResult = { status, stdout: written(streams.stdout), stderr: written(streams.stderr) };
  const stop = async () => {
    await runIn(around, async () => around.emit("SIGTERM"));
    return (await exited)[0] as number;
  };
  return { result, stop };
}

/** Runs a command in this process until it ends by itself. @param input for its standard input */
export async function tillseal(
  args: readonly string[],
  variables: Record<string, string> = {},
  input?: string,
): Promise<CommandResult> {
  return (await begin(args, variables, input)).result;
}

/** Exit status and output of a command, without a stack trace. */
export async function saying(args: readonly string[]): Promise<[number, string]> {
  const { status, stdout, stderr } = await tillseal(args);
  expect(stderr).not.toMatch(/\n\s+at /);
  return [status, stdout + stderr];
}

export interface RunningService {
  /** `http://127.0.0.1:4711`. */
  readonly url: string;
  readonly greeting: string;
  /** Ends it as SIGTERM does. @returns the exit status */
  readonly stop: () => Promise<number>;
}

/** Runs a command in this process until the end of the test. @returns what it said when it was ready */
export async function runOn(args: readonly string[], variables: Record<string, string> = {}) {
  const { result, stop } = await begin(args, variables);
  if (result.status !== 0) throw new Error(`${args[0]} ended: ${result.stderr}`);
  onTestFinished(async () => void (await stop()));
  return { greeting: result.stdout, stop };
}

/** Runs `tillseal serve` in this process on a free port, until the end of the test. */
export async function serve(args: readonly string[], variables: Record<string, string> = {}): Promise<RunningService> {
  const flags = ["serve", "--port", "0", "--log-level", TEST_LOG ?? "silent", ...args];
  const { greeting, stop } = await runOn(flags, variables);
  return { url: urlIn(greeting), greeting, stop };
}

function urlIn(greeting: string): string {
  const url = /http:\/\/[^/]+/.exec(greeting)?.[0];
  if (!url) throw new Error(`no address in ${greeting}`);
  return url;
}

/** Runs the built command as users do. @param cli path of another installation @param input for its standard input */
export function tillsealProcess(
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
  readonly complaints: () => string;
  readonly exited: Promise<number | null>;
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

export type ServiceProcess = RunningCommand & Pick<RunningService, "url">;

/** Starts `tillseal serve` on a free port as a process, until the end of the test. */
export async function serveProcess(
  args: readonly string[],
  variables: Record<string, string> = {},
  cli = CLI,
): Promise<ServiceProcess> {
  const running = await start(["serve", "--port", "0", ...args], variables, "\nready\n", cli);
  return { ...running, url: urlIn(running.greeting) };
}
