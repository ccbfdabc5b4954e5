/** `tillseal serve --card pcsc` in its own process, which a run may kill at any moment. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { CLI, environmentWith } from "../support/environment.js";

const CLOCK = join(PACKAGE_ROOT, "test", "faults", "shifted-clock.mjs");
/** ms; a start waits only for the processor. */
const START_MS = 90_000;
const STOP_MS = 60_000;

export interface ServiceOptions {
  readonly dataDir: string;
  /** Settings as flags, without leading dashes. */
  readonly flags?: Readonly<Record<string, string>>;
  /** File with the error of its clock in ms, read at the start and at SIGUSR2. */
  readonly clockFile?: string | undefined;
}

export class ServiceProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly collected: { text: string },
    private readonly ended: Promise<number | null>,
  ) {}

  /** @throws Error with its output when it ends before it listens */
  static async start({ dataDir, flags = {}, clockFile }: ServiceOptions): Promise<ServiceProcess> {
    const args = Object.entries({ port: "0", card: "pcsc", environment: "specification", ...flags });
    const preload = clockFile === undefined ? [] : ["--import", CLOCK];
    const child = spawn(
      process.execPath,
      [...preload, CLI, "serve", "--data-dir", dataDir, ...args.map(([name, value]) => `--${name}=${value}`)],
      { env: environmentWith(clockFile === undefined ? {} : { CLOCK_FILE: clockFile }) },
    );
    const collected = { text: "" };
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        collected.text = (collected.text + chunk.toString()).slice(-20_000);
      });
    }
    const url = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`serve does not listen: ${collected.text}`)), START_MS);
      child.stdout.on("data", () => {
        const address = /listens on (http:\/\/[^/]+)/.exec(collected.text)?.[1];
        if (address === undefined || !collected.text.includes("Ctrl-C")) return;
        clearTimeout(late);
        resolve(address);
      });
      child.once("exit", (status) => {
        clearTimeout(late);
        reject(new Error(`serve ended with ${status}: ${collected.text}`));
      });
    }).catch((error: unknown) => {
      child.kill("SIGKILL");
      throw error;
    });
    return new ServiceProcess(child, url, collected, ended);
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get output(): string {
    return this.collected.text;
  }

  /** Sends the signal at once; {@link over} waits for the end. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.ended;
  }

  /** Stops it as an administrator does. @returns its exit status */
  async stop(): Promise<number | null> {
    this.signal("SIGTERM");
    const late = setTimeout(() => this.signal("SIGKILL"), STOP_MS);
    const status = await this.ended;
    clearTimeout(late);
    return status;
  }

  /** Bytes of memory, and the number of open files, sockets and pipes (Linux). */
  use(): { readonly memory: number; readonly handles: number } {
    const process = `/proc/${this.child.pid}`;
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`${process}/status`, "utf8"))?.[1];
    return { memory: Number(kib) * 1024, handles: readdirSync(`${process}/fd`).length };
  }
}
