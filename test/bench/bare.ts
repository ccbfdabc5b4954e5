/** The baselines, measured in the same run: RSA signing, and a node:http server with the same answer. */
import { createPrivateKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import type { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const signAsync = promisify(sign);
/** A card signs as many bytes. */
const SIGNED_BYTES = 321;

/** The benchmark has as many invoices in flight: with fewer, the pauses between them would be measured too. */
const IN_FLIGHT = 32;

const testKey = () => createPrivateKey(readFileSync(join(PACKAGE_ROOT, "fixtures", "keys", "test-card.key.pem")));

/** Signatures with RSA-2048 per second, on one core. One card signs one after another, so this is the limit of sales. */
export function signaturesOfOneCore(seconds: number): number {
  const key = testKey();
  const bytes = Buffer.alloc(SIGNED_BYTES);
  const began = performance.now();
  const end = began + seconds * 1000;
  let count = 0;
  for (; performance.now() < end; count++) sign("RSA-SHA1", bytes, key);
  return (count * 1000) / (performance.now() - began);
}

/** Signatures with RSA-2048 per second, on all cores. */
export async function bareSignatures(seconds: number): Promise<number> {
  const key = testKey();
  const bytes = Buffer.alloc(SIGNED_BYTES);
  const began = performance.now();
  const end = began + seconds * 1000;
  let count = 0;
  const signOn = async () => {
    while (performance.now() < end) {
      await signAsync("RSA-SHA1", bytes, key);
      count++;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, signOn));
  return (count * 1000) / (performance.now() - began);
}

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server in its own thread that reads a request and always gives the same answer. */
export async function bareServer(answer: Answer): Promise<{ url: string; close: () => Promise<unknown> }> {
  const worker = new Worker(
    `(${serve.toString()})(require("node:worker_threads"), require("node:http").createServer)`,
    {
      eval: true,
      workerData: answer,
    },
  );
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  return { url: `http://127.0.0.1:${port}`, close: () => worker.terminate() };
}

/** Runs in the thread, which knows nothing else of this file. */
function serve(threads: typeof import("node:worker_threads"), create: typeof createServer): void {
  const { headers, body } = threads.workerData as Answer;
  const server = create((request, response) => {
    request.resume();
    request.once("end", () => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => threads.parentPort?.postMessage((server.address() as AddressInfo).port));
}
