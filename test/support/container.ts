/** Containers in the engine that test/container/run.mjs has found or started. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { freePort } from "./free-port.js";

const run = promisify(execFile);

/** @throws when the tests were not started by test/container/run.mjs */
export function engineName(): string {
  const cli = process.env.TILLSEAL_TEST_ENGINE;
  if (cli === undefined) throw new Error("start these tests with node test/container/run.mjs");
  return cli;
}

/** Output of the engine's command. @throws Error with its error output */
export async function engine(...args: string[]): Promise<string> {
  return (await run(engineName(), args, { maxBuffer: 64 * 1024 * 1024 })).stdout;
}

export interface Container {
  readonly id: string;
  /** `http://127.0.0.1:4711` of the service. */
  readonly url: string;
  /** `http://127.0.0.1:4712` of the control interface. */
  readonly control: string;
  exec(...command: string[]): Promise<string>;
  ended(): Promise<number>;
}

/** Starts a container in the background until the end of the test, and waits until it answers. */
export async function startContainer(image: string, flags: readonly string[] = []): Promise<Container> {
  const [port, controlPort] = [await freePort(), await freePort()];
  const ports = ["-p", `127.0.0.1:${port}:8431`, "-p", `127.0.0.1:${controlPort}:8432`];
  const id = (await engine("run", "-d", ...ports, ...flags, image)).trim();
  onTestFinished(async () => void (await engine("rm", "-f", "-v", id)));
  const url = `http://127.0.0.1:${port}`;
  const logs = () => engine("logs", id);
  await answering(`${url}/api/v3/attention`, logs);
  await ready(logs);
  return {
    id,
    url,
    control: `http://127.0.0.1:${controlPort}`,
    exec: (...command) => engine("exec", id, ...command),
    ended: async () => Number(await engine("wait", id)),
  };
}

const PATIENCE_MS = 30_000;

async function until(isSo: () => Promise<boolean>, problem: string, tell: () => Promise<string>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${problem}: ${await tell()}`);
}

/** Waits for a 200. @param tell adds to the error when none comes */
export async function answering(url: string, tell: () => Promise<string>): Promise<void> {
  const isOk = async () => (await fetch(url).catch(() => undefined))?.ok === true;
  await until(isOk, `no answer from ${url}`, tell);
}

/** Waits until a service reports that its card is configured. */
export async function ready(logs: () => Promise<string>): Promise<void> {
  await until(async () => /\bready\s*$/m.test(await logs()), "the service is not ready", logs);
}
