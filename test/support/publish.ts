/** Runs `tillseal card publish` as users do, until the end of the test. */
import { type ChildProcess, spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { tillsealProcess } from "./command.js";
import { CLI, environmentWith } from "./environment.js";
import { eventually } from "./pcsc.js";
import { type Answer, callService } from "./till.js";

export interface Published {
  readonly process: ChildProcess;
  say(line: string): void;
  /** Waits for the next line that matches. @returns the first group of the pattern */
  waitFor(pattern: RegExp): Promise<string>;
  readonly exited: Promise<number | null>;
  /** Calls the control interface below /control. */
  control(method: string, path: string, body?: object): Promise<Answer>;
}

export async function publish(...args: string[]): Promise<Published> {
  const child = spawn(process.execPath, [CLI, "card", "publish", "--control-port", "0", ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: environmentWith({}),
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const waitFor = async (pattern: RegExp) => {
    let group = "";
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(`publish ended with ${child.exitCode}`);
      const match = pattern.exec(output);
      if (match) output = output.slice(match.index + match[0].length);
      group = match?.[1] ?? "";
      return match !== null;
    }, `publish says ${pattern}`);
    return group;
  };
  const address = await waitFor(/control interface of the card: (http:\S+)\/control\n/);
  await waitFor(/card \w+ is in the virtual reader; its PIN is \d+\n/);
  return {
    process: child,
    say: (line) => void child.stdin.write(`${line}\n`),
    waitFor,
    exited,
    control: (method, path, body) =>
      callService(address, method, `/control${path}`, body === undefined ? {} : { body }),
  };
}

/** Waits until another process sees the first reader in this state. */
export async function readersWith(state: string): Promise<void> {
  await eventually(async () => {
    const { stdout } = await tillsealProcess(["card", "list", "--json"]);
    const { readers } = JSON.parse(stdout) as { readers?: { state: string }[] };
    return readers?.[0]?.state === state;
  }, `the first reader is ${state}`);
}
