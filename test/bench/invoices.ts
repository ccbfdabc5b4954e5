/**
 * `npm run bench`: signed invoices a second over HTTP, against bare RSA-2048 signing on the same machine in the
 * same run. Whole path: HTTP, validation, card, two durable commits of the store, QR code.
 */
import { spawn } from "node:child_process";
import { createPrivateKey, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import { environmentWith } from "../support/environment.js";

const CONNECTIONS = 32;
const SECONDS = Number(process.argv[2] ?? 5);
const CLI = join(PACKAGE_ROOT, "dist", "src", "cli.js");
const signAsync = promisify(sign);

interface Service {
  readonly url: string;
  /** ms from the start of the process to the first 200 of attention. */
  readonly startMs: number;
  stop(): void;
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function call(method: string, url: string, body?: string): Promise<{ status: number; ms: number }> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    const sent = request(url, { method, agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - begin }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function startService(dataDir: string): Promise<Service> {
  const begin = performance.now();
  const child = spawn(process.execPath, [CLI, "serve", "--port", "0", "--data-dir", dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
    env: environmentWith(),
  });
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /http:\/\/[^/]+/.exec(text)?.[0];
      if (found) resolve(found);
    });
    child.once("exit", () => reject(new Error("the service ended")));
  });
  await call("GET", `${url}/api/v3/attention`);
  return { url, startMs: performance.now() - begin, stop: () => child.kill("SIGKILL") };
}

/** Signatures a second that the machine makes with `parallel` of them under way at once. */
async function bareSignatures(parallel: number): Promise<number> {
  const key = createPrivateKey(readFileSync(join(PACKAGE_ROOT, "fixtures", "keys", "test-card.key.pem")));
  const bytes = Buffer.alloc(321);
  const end = performance.now() + SECONDS * 500;
  let count = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await signAsync("RSA-SHA1", bytes, key);
      count++;
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return count / (SECONDS * 0.5);
}

async function load(url: string, omitQRCodeGen: "0" | "1") {
  const body = JSON.stringify({
    cashier: "Bench",
    invoiceType: "Normal",
    transactionType: "Sale",
    payment: [{ amount: 12.5, paymentType: "Cash" }],
    options: { omitQRCodeGen, omitTextualRepresentation: "0" },
    items: [
      { name: "Coffee", quantity: 2, unitPrice: 3.5, labels: ["A"], totalAmount: 7 },
      { name: "Bread", quantity: 1, unitPrice: 5.5, labels: ["B"], totalAmount: 5.5 },
    ],
  });
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + SECONDS * 1000;
  const connection = async () => {
    while (performance.now() < end) {
      const { status, ms } = await call("POST", `${url}/api/v3/invoices`, body);
      if (status !== 200) throw new Error(`the service answered ${status}`);
      times.push(ms);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { perSecond: times.length / ((performance.now() - begin) / 1000), median: at(0.5), p99: at(0.99) };
}

const dataDir = mkdtempSync(join(tmpdir(), "tillseal-bench-"));
try {
  const starts: number[] = [];
  let service = await startService(dataDir);
  for (let i = 0; i < 5; i++) {
    starts.push(service.startMs);
    service.stop();
    service = await startService(dataDir);
  }
  starts.sort((a, b) => a - b);
  console.log(`start to the first 200 of attention: ${starts[2]?.toFixed(0)} ms (median of 5)`);
  const cores = availableParallelism();
  const [one, all] = [await bareSignatures(1), await bareSignatures(cores)];
  console.log(`bare RSA-2048 signing: ${one.toFixed(0)}/s one at a time, ${all.toFixed(0)}/s on ${cores} cores`);
  await call("POST", `${service.url}/api/v3/pin`, '"1234"');
  for (const [name, omit] of [
    ["with QR code", "0"],
    ["without QR code", "1"],
  ] as const) {
    const { perSecond, median, p99 } = await load(service.url, omit);
    const share = ((100 * perSecond) / all).toFixed(1);
    console.log(
      `invoices ${name}: ${perSecond.toFixed(0)}/s over ${CONNECTIONS} connections, ` +
        `median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${share} % of bare signing on ${cores} cores`,
    );
  }
  service.stop();
} finally {
  agent.destroy();
  rmSync(dataDir, { recursive: true, force: true });
}
