/**
 * Requests derived from the service's own OpenAPI document. Every answer must match the document, no request may cause
 * a 500, the process must survive, and its memory must stay bounded.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newSeed } from "../../emulator/pki/random.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { call } from "../faults/call.js";
import { Chance } from "../faults/chance.js";
import { environmentWith } from "../support/environment.js";
import { isNamed } from "../support/silent-refusals.js";
import { Described, type Document } from "./described.js";
import { Generator } from "./generate.js";
import { sendRaw } from "./raw.js";
import { KINDS, type Kind, make, send } from "./requests.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: newSeed().slice(0, 8) },
    requests: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "1000000" },
  },
});
const { seed } = values;
const SENDERS = 16;
const MOST_RAW = 60;
/** After this many requests the card gets its attempts back and its sum is reset, so that sales continue. */
const CARE_EVERY = 500;
const SAY_EVERY = 20_000;
const MOST_MEMORY = 700 * 1024 * 1024;
const MOST_FAILURES = 20;
const MOST_SILENT = 4;

const folder = mkdtempSync(join(tmpdir(), "tillseal-fuzz-"));
const say = (line: string) => process.stdout.write(`${line}\n`);
const cli = join(PACKAGE_ROOT, "dist", "src", "cli.js");
const args = ["serve", "--port", "0", "--control-port", "0", "--no-authority", "--data-dir", folder];
const child: ChildProcess = spawn(process.execPath, [cli, ...args], { env: environmentWith() });
let output = "";
for (const stream of [child.stdout, child.stderr]) {
  stream?.on("data", (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-10_000);
  });
}
while (!output.includes("Ctrl-C")) {
  if (child.exitCode !== null) throw new Error(`serve ended: ${output}`);
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const url = /listens on (http:\/\/[^/]+)/.exec(output)?.[1] ?? "";
const control = /(http:\S+)\/control/.exec(output)?.[1] ?? "";
const asked = await call(url, { method: "GET", path: "/openapi.json" });
if (typeof asked === "string") throw new Error("no OpenAPI document", { cause: asked });
const described = new Described(JSON.parse(asked.text) as Document);
say(`fuzz: seed ${seed}, ${described.endpoints.length} operations of ${url}/openapi.json, store in ${folder}`);

const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
const began = Date.now();
const failures: string[] = [];
const counts = new Map<Kind, Map<string, number>>(KINDS.map((kind) => [kind, new Map()]));
const raws = new Set<Promise<void>>();
let done = 0;
let firstMemory = 0;
let mostMemory = 0;

const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) * 1024;

function count(kind: Kind, status: string): void {
  const byStatus = counts.get(kind);
  byStatus?.set(status, (byStatus.get(status) ?? 0) + 1);
}

function fail(number: number, what: string, request: unknown): void {
  failures.push(what);
  say(`FAILED request ${number}: ${what}\n  ${JSON.stringify(request).slice(0, 1_500)}`);
}

/** A till that refuses sales says so in /ready. The other senders change its state at any time, so one sale in four may pass. */
async function requireSaid(): Promise<void> {
  const codes: string[] = [];
  for (let n = 0; n < MOST_SILENT; n++) {
    const sold = await call(url, { method: "POST", path: "/api/v3/test-invoice" });
    if (typeof sold === "string" || !isNamed(sold.code, sold.status)) return;
    const ready = await call(url, { method: "GET", path: "/ready" });
    if (typeof ready === "string" || ready.status !== 200) return;
    codes.push(`${sold.code} ${sold.details}`);
  }
  fail(done, `sales were refused in a row, and /ready said yes: ${codes.join("; ")}`, {});
}

async function care(): Promise<void> {
  await fetch(`${control}/control/do`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ card: { patch: { pinTriesLeft: 5, sum: "0" } } }),
  });
  await call(url, { method: "POST", path: "/api/v3/pin", headers: { "Content-Type": "text/plain" }, body: "1234" });
  await requireSaid();
  const memory = rss();
  if (firstMemory === 0 && done > 2 * CARE_EVERY) firstMemory = memory;
  mostMemory = Math.max(mostMemory, memory);
  if (memory > MOST_MEMORY) fail(done, `the process has ${memory} bytes of memory`, {});
}

/** Half a request gets no answer for a while, so only a few of these are awaited. */
async function startRaw(number: number, chance: Chance): Promise<void> {
  const running = raw(number, chance);
  raws.add(running);
  void running.finally(() => raws.delete(running));
  if (raws.size >= MOST_RAW) await Promise.race(raws);
}

async function raw(number: number, chance: Chance): Promise<void> {
  const { sent, text } = await sendRaw(url, chance);
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? "closed";
  count("raw", status);
  if (text !== "" && status === "closed") fail(number, `not HTTP: ${text.slice(0, 200)}`, sent);
  if (status.startsWith("5") && status !== "503") fail(number, `raw bytes got ${status}`, sent);
}

async function one(number: number): Promise<void> {
  const chance = new Chance(`${seed} ${number}`);
  const generator = new Generator(described.document.components.schemas, chance);
  // One in ten is valid, because valid ones cost a signature.
  const kind = chance.pick<Kind>([
    "valid",
    "raw",
    ...Array<Kind>(5).fill("nearly valid"),
    ...Array<Kind>(3).fill("hostile"),
  ]);
  if (kind === "raw") return startRaw(number, chance);
  const made = make(kind, described, generator, chance);
  const answer = await send(url, agent, made);
  if (answer === "timeout") return fail(number, "no answer in 30 s", made);
  count(kind, answer === undefined ? "closed" : String(answer.status));
  if (answer === undefined || ["HEAD", "OPTIONS"].includes(made.method)) return;
  const problem = made.endpoint ? described.problem(made.endpoint, answer) : described.refusalProblem(answer);
  if (problem !== undefined)
    fail(number, problem, { ...made, body: String(made.body), answer: answer.text.slice(0, 500) });
}

const total = Number(values.requests);
let next = 0;
async function sender(): Promise<void> {
  while (next < total && failures.length < MOST_FAILURES && Date.now() - began < Number(values.seconds) * 1000) {
    if (child.exitCode !== null || child.signalCode !== null) return fail(next, `the process ended: ${output}`, {});
    const number = next++;
    if (number % CARE_EVERY === 0) await care();
    await one(number);
    done++;
    if (done % SAY_EVERY === 0) {
      const rate = Math.round(done / ((Date.now() - began) / 1000));
      say(`${done} requests, ${failures.length} failed, ${rate} a second, ${Math.round(rss() / 2 ** 20)} MiB`);
    }
  }
}
await care();
await Promise.all(Array.from({ length: SENDERS }, sender));
await Promise.all(raws);

const mib = (bytes: number) => Math.round(bytes / 2 ** 20);
const lastMemory = rss();
const row = ([kind, byStatus]: [Kind, Map<string, number>]) => {
  const all = [...byStatus.values()].reduce((sum, n) => sum + n, 0);
  const statuses = [...byStatus].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([status, n]) => `${n} x ${status}`);
  return `| ${kind} | ${all} | ${statuses.join(", ")} |`;
};
say(
  [
    "",
    "| Requests | Number | Answers |",
    "| --- | ---: | --- |",
    ...[...counts].map(row),
    `| **all** | ${done} | ${failures.length} failed |`,
    "",
    `Memory: ${mib(firstMemory)} MiB at the start, ${mib(lastMemory)} MiB at the end, ${mib(mostMemory)} MiB at most; ${Math.round((Date.now() - began) / 1000)} s.`,
    "",
  ].join("\n"),
);
child.kill("SIGTERM");
await new Promise((resolve) => child.once("exit", resolve));
agent.destroy();
if (failures.length === 0) rmSync(folder, { recursive: true, force: true });
process.exit(failures.length === 0 && done > 0 ? 0 : 1);
