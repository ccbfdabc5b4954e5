/** A service in its own process, as users start it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { environmentWith } from "../support/environment.js";
import { Connection, load, requestBytes, type Sent } from "./client.js";

export const CLI = join(PACKAGE_ROOT, "dist", "src", "cli.js");
/** ms; Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;
const JSON_TYPE = { "Content-Type": "application/json" };

export interface BenchService {
  readonly url: string;
  readonly control: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * @param dataDir keeps everything there; default: temporary data
 * @param options Node's options
 * @param flags further flags of the command
 */
export async function startService(
  dataDir?: string,
  options: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<BenchService> {
  const kept = dataDir === undefined ? [] : ["--data-dir", dataDir];
  const args = [...options, CLI, "serve", "--port", "0", "--control-port", "0", ...kept, ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: environmentWith() });
  const { url, control } = await addressesOf(child);
  await attention(url);
  return {
    url,
    control,
    pid: child.pid ?? 0,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

/** Length of one slice under load, ms. */
const SLICE_MS = 300;

/** Repeats a request for some ms. @returns CPU time of the server's main thread for each of them, in us */
export async function cost(
  { url, pid }: { readonly url: string; readonly pid: number },
  sent: Sent,
  connections: number,
  ms = SLICE_MS,
): Promise<number> {
  // Linux counts in ns here, and in hundredths of a second in `stat`.
  const cpuUs = () => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000;
  const began = cpuUs();
  const count = await load(url, sent, connections, ms);
  return (cpuUs() - began) / count;
}

/** CPU time of a running process so far, in ms. */
export function cpuMsOf(pid: number): number {
  return cpuMsIn(`/proc/${pid}/stat`);
}

/** CPU time of all processes that this one has started and that have ended, in ms. */
export function cpuMsOfChildren(): number {
  return cpuMsIn("/proc/self/stat", 13);
}

/** @param field number of the field with the user's time; the next one has the system's */
function cpuMsIn(file: string, field = 11): number {
  // The name of the program, in parentheses, may contain spaces.
  const fields = readFileSync(file, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[field]) + Number(fields[field + 1])) * TICK_MS;
}

function addressesOf(child: ChildProcess): Promise<{ url: string; control: string }> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const [, control] = /(http:\/\/\S+)\/control drives/.exec(text) ?? [];
      const [url] = /http:\/\/[^/\s]+/.exec(text) ?? [];
      if (url && control) resolve({ url, control });
    });
    child.once("exit", () => reject(new Error(`the service ended: ${text}`)));
  });
}

export function attention(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(`${url}/api/v3/attention`, { agent: false }, (response) => {
      response.resume();
      response.once("end", resolve);
    }).once("error", reject);
  });
}

export const STATUS: Sent = { method: "GET", path: "/api/v3/status" };

/** The session stays open afterwards. */
const PIN: Sent = { method: "POST", path: "/api/v3/pin", body: '"1234"', headers: JSON_TYPE };

export async function once(url: string, sent: Sent): Promise<void> {
  const connection = await Connection.open(url);
  await connection.send(requestBytes(url, sent));
  connection.close();
}

export function invoice({ qr = true, items = 2 }: { qr?: boolean; items?: number } = {}): Sent {
  const lines = Array.from({ length: items }, (_, i) =>
    i % 2 === 0
      ? { name: "Coffee", quantity: 2, unitPrice: 3.5, labels: ["A"], totalAmount: 7 }
      : { name: "Bread", quantity: 1, unitPrice: 5.5, labels: ["B"], totalAmount: 5.5 },
  );
  const body = JSON.stringify({
    cashier: "Bench",
    invoiceType: "Normal",
    transactionType: "Sale",
    payment: [{ amount: lines.reduce((sum, { totalAmount }) => sum + totalAmount, 0), paymentType: "Cash" }],
    options: { omitQRCodeGen: qr ? "0" : "1", omitTextualRepresentation: "0" },
    items: lines,
  });
  return { method: "POST", path: "/api/v3/invoices", body, headers: JSON_TYPE };
}

const POLL_INTERVAL_MS = 20;

/** Verifies the PIN, and waits until the emulated authority has sent its tax rates. */
export async function readyToSell(url: string): Promise<void> {
  await once(url, PIN);
  for (;;) {
    const status = await fetch(`${url}/api/v3/status`);
    const { currentTaxRates } = (await status.json()) as { currentTaxRates: object | null };
    if (currentTaxRates !== null) return;
    await sleep(POLL_INTERVAL_MS);
  }
}

/** Runs a function with a folder that is removed afterwards. */
export async function withFolder<T>(task: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-bench-"));
  try {
    return await task(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a function with a service that has its PIN. @param options Node's options, flags, and whether it has a data folder */
export async function withService<T>(
  {
    kept = false,
    options = [],
    flags = [],
  }: { readonly kept?: boolean; readonly options?: readonly string[]; readonly flags?: readonly string[] },
  task: (service: BenchService) => Promise<T>,
): Promise<T> {
  return withFolder(async (folder) => {
    const service = await startService(kept ? folder : undefined, options, flags);
    try {
      await readyToSell(service.url);
      return await task(service);
    } finally {
      await service.stop();
    }
  });
}
