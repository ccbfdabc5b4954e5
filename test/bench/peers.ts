/**
 * What people use today instead, none of which signs: servers from their start to the first answer, libraries in a test,
 * and Prism's rate. test/bench/peers has their versions; the first run installs them there.
 */
import { execFileSync, spawn } from "node:child_process";
import { once as event } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { environmentWith } from "../support/environment.js";
import { freePort } from "../support/free-port.js";
import { load } from "./client.js";
import { type Group, inTurns, type Row } from "./row.js";
import { CLI, cpuMsOf, invoice, once, readyToSell, withFolder, withService } from "./service.js";

const PEERS = join(PACKAGE_ROOT, "test", "bench", "peers");
const MODULES = join(PEERS, "node_modules");
const INSTALL = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", PEERS];
const POLL_INTERVAL_MS = 5;
const ROUNDS = 5;
const RATE = { connections: 32, ms: 500 };
const TESTKIT = join(PACKAGE_ROOT, "dist", "harness", "testkit.js");
const SALE = invoice();

interface Started {
  /** ms */
  readonly wall: number;
  /** ms */
  readonly cpu: number;
  /** Peak, in MB. */
  readonly memory: number;
}

/** Arguments of Node. */
type Server = (port: number) => readonly string[];

const SERVE: Server = (port) => [CLI, "serve", "--port", String(port), "--control-port", "0"];

type Peer = "Mockoon" | "Prism" | "Azurite";

/** Servers of our OpenAPI document, without telemetry; Azurite has its own answers. */
const serversOf = (document: string): Readonly<Record<Peer, Server>> => ({
  Mockoon: (port) => [
    join(MODULES, "@mockoon/cli/bin/run.js"),
    ...["start", "--data", document, "--port", String(port), "--disable-log-to-file", "--disable-admin-api"],
  ],
  Prism: (port) => [join(MODULES, "@stoplight/prism-cli/dist/index.js"), "mock", "--port", String(port), document],
  Azurite: (port) => [
    join(MODULES, "azurite/dist/src/blob/main.js"),
    ...["--blobPort", String(port), "--inMemoryPersistence", "--silent", "--disableTelemetry"],
  ],
});

/** Runs a server while a task runs; `started` measures it, from its start until then. */
async function running<T>(server: Server, task: (url: string, started: () => Started) => Promise<T>): Promise<T> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, server(port), { stdio: "ignore", env: environmentWith() });
  const pid = child.pid ?? 0;
  const started = () => {
    const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return { wall: performance.now() - began, cpu: cpuMsOf(pid), memory: Number(peak) / 1024 };
  };
  try {
    while (!(await answers(`${url}/api/v3/attention`))) {
      if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(" ")} ended`);
      await sleep(POLL_INTERVAL_MS);
    }
    return await task(url, started);
  } finally {
    if (child.exitCode === null) {
      child.kill();
      await event(child, "exit");
    }
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

const firstAnswer = (server: Server) => running(server, async (_, started) => started());
const firstSale = () =>
  running(SERVE, async (url, started) => {
    await readyToSell(url);
    await once(url, SALE);
    return started();
  });

async function starts(servers: ReturnType<typeof serversOf>): Promise<Row[]> {
  const sides = {
    "`serve` to the first answer": () => firstAnswer(SERVE),
    "`serve` to the first signed sale": firstSale,
    ...Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, () => firstAnswer(server)])),
  };
  const taken = Object.fromEntries(Object.keys(sides).map((name): [string, Started[]] => [name, []]));
  // The first round reads from the disk and does not count.
  for (let round = -1; round < ROUNDS; round++)
    for (const [name, start] of Object.entries(sides)) {
      const figures = await start();
      if (round >= 0) taken[name]?.push(figures);
    }
  const [answer = "", sale = ""] = Object.keys(sides);
  const pairs = [...Object.keys(servers).map((peer) => [answer, peer] as const), [sale, "Mockoon"] as const];
  return pairs.flatMap(([name, peer]) =>
    (["wall", "cpu", "memory"] as const).map((what) => ({
      name: `${name}, ${what === "cpu" ? "CPU" : what}`,
      beside: `${peer}'s start`,
      ...(name === sale && what !== "memory" ? { goal: 0.5 } : {}),
      own: taken[name]?.map((figures) => figures[what]) ?? [],
      other: taken[peer]?.map((figures) => figures[what]) ?? [],
      unit: what === "memory" ? ("MB" as const) : ("ms" as const),
    })),
  );
}

/** A test's process until its first answer, in the words of each library. */
const TESTS = {
  tillseal: `const { createEmulator } = await import(${JSON.stringify(TESTKIT)});
    const { url } = await createEmulator({ given: { card: { pinVerified: true } } });`,
  msw: `const [{ http, HttpResponse }, { setupServer }] = await Promise.all([import("msw"), import("msw/node")]);
    const url = "http://till.test";
    setupServer(http.post(url + "/api/v3/invoices", () => HttpResponse.json({}))).listen();`,
  nock: `const { default: nock } = await import("nock");
    const url = "http://till.test";
    nock(url).post("/api/v3/invoices").reply(200, {});`,
};

/** @returns CPU time of the process, in ms */
async function firstCall(library: keyof typeof TESTS): Promise<number> {
  const { path, body, headers } = SALE;
  const script = `${TESTS[library]}
    const answer = await fetch(url + ${JSON.stringify(path)}, ${JSON.stringify({ method: "POST", body, headers })});
    if (!answer.ok) throw new Error(await answer.text());
    const { user, system } = process.cpuUsage();
    console.log((user + system) / 1000);
    process.exit();`;
  const args = ["--input-type=module", "--eval", script];
  return Number(execFileSync(process.execPath, args, { cwd: PEERS, env: environmentWith(), encoding: "utf8" }));
}

async function tests(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const peer of ["msw", "nock"] as const) {
    const figures = await inTurns(
      () => firstCall("tillseal"),
      () => firstCall(peer),
      { rounds: ROUNDS, slices: 1 },
    );
    rows.push({ name: "first signed sale in a test, CPU", beside: `${peer}'s first answer`, ...figures, unit: "ms" });
  }
  return rows;
}

async function rates(url: string, prism: Server): Promise<Row> {
  const { connections, ms } = RATE;
  const sent = invoice({ qr: false });
  const rate = async (server: string) => (1000 * (await load(server, sent, connections, ms))) / ms;
  const figures = await running(prism, (other) =>
    inTurns(
      () => rate(url),
      () => rate(other),
    ),
  );
  return { name: "sales", beside: "Prism's answers", ...figures, unit: "a second" };
}

export const peers: Group = async () => {
  if (!existsSync(MODULES)) execFileSync("npm", INSTALL, { stdio: ["ignore", "ignore", "inherit"] });
  return withFolder(async (folder) => {
    const document = join(folder, "openapi.json");
    const servers = serversOf(document);
    return withService({}, async ({ url }) => {
      writeFileSync(document, await (await fetch(`${url}/openapi.json`)).text());
      return [...(await starts(servers)), ...(await tests()), await rates(url, servers.Prism)];
    });
  });
};
