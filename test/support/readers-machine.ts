/** A machine on which a test follows the documentation: a till that sells, and a terminal in an empty folder. */
import { execFile, spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { shellBlocks } from "./documented.js";
import { makeCard } from "./emulated-card.js";
import { CLI, environmentWith } from "./environment.js";
import { JSON_HEADERS, sale } from "./till.js";

/** Serves until Ctrl-C. A reader types the next command in another terminal. */
const SERVER = /^(?:npx )?tillseal (serve|proxy|authority serve)\b/;
/** Where a shop keeps its files, and a printer. They are in a folder of the test instead. */
const OUTSIDE = /(?<![\w.])(?=\/(?:var\/lib\/tillseal|backup|home\/shop|dev\/usb)\b)/g;
/** Ports of the documentation: the till, its control interface, the proxy's, the authority. */
const DOCUMENTED = /localhost:(8431|8432|8440|8434)\b/g;

/** The PIN, and a sale with the RequestId order-1. */
const FIRST_SALE = shellBlocks("README.md").find(({ commands }) => commands.join().includes("order-1"))?.commands ?? [];

/** What listens where, by the port that the documentation names. */
type Addresses = Readonly<Record<string, string>>;

interface Serving {
  readonly addresses: Addresses;
  readonly url: string;
  stop(): Promise<void>;
}

export class ReadersMachine {
  private readonly root = mkdtempSync(join(tmpdir(), "tillseal-reader-"));
  private folder = this.root;
  private addresses: Addresses = {};
  private serving: Serving[] = [];
  private hasSold = false;

  constructor() {
    for (const name of ["var/lib", "backup", "home/shop", "dev/usb", "bin"])
      mkdirSync(join(this.root, name), { recursive: true });
    const tillseal = `exec "${process.execPath}" "${CLI}" "$@"`;
    this.program("tillseal", tillseal);
    this.program("npx", `[ "$1" = tillseal ] || exit 1\nshift\n${tillseal}`);
    // No page shows a call that is refused.
    this.program("curl", `PATH="${process.env.PATH}" exec curl -sS --fail-with-body "$@"`);
  }

  private program(name: string, script: string): void {
    const file = join(this.root, "bin", name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  static async open(): Promise<ReadersMachine> {
    const machine = new ReadersMachine();
    await machine.serve("tillseal serve --data-dir /var/lib/tillseal");
    return machine;
  }

  async close(): Promise<void> {
    await this.stop(() => true);
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Follows a page: an empty folder with the files that pages take for granted. */
  async follow(blocks: readonly (readonly string[])[]): Promise<void> {
    this.hasSold = false;
    this.folder = mkdtempSync(join(this.root, "terminal-"));
    symlinkSync(join(PACKAGE_ROOT, "scenarios"), join(this.folder, "scenarios"));
    copyFileSync(join(PACKAGE_ROOT, "fixtures", "profiles", "default.yaml"), join(this.folder, "my-card.yaml"));
    writeFileSync(join(this.folder, "card.pem"), makeCard().certificate);
    const [till] = this.serving;
    try {
      for (const block of blocks) {
        await this.runBlock(block);
        // The authority of one block is asked by the next ones.
        await this.stop((one) => one !== till && !("8434" in one.addresses));
      }
    } finally {
      await this.stop((one) => one !== till);
    }
  }

  /** Runs commands beside a till that is as it was at its start, and has sold. */
  private async runBlock(commands: readonly string[]): Promise<void> {
    if (!this.hasSold) await this.sell();
    // A call of the control interface may change the card, or forget the sale.
    this.hasSold = !commands.some((command) => command.includes("localhost:8432"));
    let script: string[] = [];
    for (const command of commands) {
      if (!SERVER.test(command)) script.push(command);
      else {
        await this.run(script);
        script = [];
        const { url, stop } = await this.serve(command);
        if (!command.includes("--record")) continue;
        // What a reader does meanwhile is recorded until Ctrl-C.
        expect((await fetch(`http://${url}/api/v3/status`)).status).toBe(200);
        await this.stop((one) => one.stop === stop);
      }
    }
    await this.run(script);
  }

  private async stop(which: (serving: Serving) => boolean): Promise<void> {
    const ending = this.serving.filter(which);
    this.serving = this.serving.filter((one) => !ending.includes(one));
    this.addresses = Object.assign({}, ...this.serving.map(({ addresses }) => addresses));
    for (const { stop } of ending) await stop();
  }

  /** Two sales without a PIN are refused, then the sale of the README is signed. */
  private async sell(): Promise<void> {
    const { 8431: till = "", 8432: control = "" } = this.addresses;
    const post = async (url: string, body: string | object, headers = {}) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return (await fetch(`http://${url}`, { method: "POST", body: text, headers })).status;
    };
    const sold = () => post(`${till}/api/v3/invoices`, sale(), JSON_HEADERS);
    expect(await post(`${control}/control/reset`, "")).toBe(204);
    expect([await sold(), await sold()]).toEqual([401, 401]);
    await this.run(FIRST_SALE);
  }

  private here(text: string): string {
    return text
      .replace(OUTSIDE, this.root)
      .replace(DOCUMENTED, (address, port: string) => this.addresses[port] ?? address);
  }

  private variables(): NodeJS.ProcessEnv {
    const port = this.addresses[8431]?.split(":")[1];
    return environmentWith({
      PATH: `${join(this.root, "bin")}:${process.env.PATH}`,
      ...(port === undefined ? {} : { TILLSEAL_PORT: port }),
    });
  }

  /** @returns when the commands have ended, each with exit status 0 */
  private async run(commands: readonly string[]): Promise<void> {
    if (commands.length === 0) return;
    const script = this.here(commands.join("\n"));
    const options = { cwd: this.folder, env: this.variables() };
    const failure = await new Promise<string | undefined>((resolve) => {
      execFile("sh", ["-ec", script], options, (error, stdout, stderr) =>
        resolve(error === null ? undefined : `${script}\n${stdout}\n${stderr}`),
      );
    });
    expect(failure).toBeUndefined();
  }

  private async serve(command: string): Promise<Serving> {
    const isTill = command.includes("tillseal serve");
    const ports = `--port 0${isTill ? " --control-port 0" : ""}`;
    const script = `exec ${this.here(command).replace(/--control-port \d+/, "--control-port 0")} ${ports}`;
    const child = spawn("sh", ["-c", script], { cwd: this.folder, env: this.variables() });
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    let output = "";
    let complaints = "";
    const greeting = isTill ? /^ready\n$/m : /Ctrl-C.*\n$/;
    await new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (greeting.test(output)) resolve();
      });
      child.stderr.on("data", (chunk: Buffer) => {
        complaints += chunk.toString();
      });
      child.once("exit", () => reject(new Error(`${script} ended: ${complaints}`)));
    });
    const stop = async () => {
      child.kill("SIGINT");
      expect(await exited).toBe(0);
    };
    const [url = ""] = /(?<=https?:\/\/)[^/\s,;]+/.exec(output) ?? [];
    const serving = { url, addresses: addressesOf(url, output, command), stop };
    this.serving.push(serving);
    this.addresses = { ...this.addresses, ...serving.addresses };
    return serving;
  }
}

function addressesOf(url: string, greeting: string, command: string): Addresses {
  const [control] = /(?<=http:\/\/)[^/\s]+(?=\/control\b)/.exec(greeting) ?? [];
  if (command.includes("authority serve")) return { 8434: url };
  const controls = command.includes("proxy") ? "8440" : "8432";
  return {
    ...(command.includes("proxy") ? {} : { 8431: url }),
    ...(control === undefined ? {} : { [controls]: control }),
  };
}
