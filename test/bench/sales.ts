/** The main thread's CPU time of a request in bulk, beside bare node:http, which parses it and gives the same answer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Sent } from "./client.js";
import { type Group, inTurns, type Row } from "./row.js";
import { cost, invoice, STATUS, withService } from "./service.js";

const SERVER = fileURLToPath(new URL("bare-server.js", import.meta.url));
const CONNECTIONS = 32;
/** For V8, which compiles meanwhile. */
const WARM_UP_MS = 1500;

interface Kind {
  readonly name: string;
  readonly sent: Sent;
  readonly kept?: boolean;
  readonly goal?: number;
}

const KINDS: readonly Kind[] = [
  { name: "a sale in bulk, no data folder, without QR code", sent: invoice({ qr: false }), goal: 25 },
  { name: "a sale in bulk, no data folder, with QR code", sent: invoice() },
  { name: "a sale in bulk, data folder, with QR code", sent: invoice(), kept: true },
  { name: "status", sent: STATUS },
  { name: "attention", sent: { method: "GET", path: "/api/v3/attention" } },
];

async function withBare<T>(answer: string, task: (bare: { url: string; pid: number }) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [SERVER, answer], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    return await task({ url: `http://127.0.0.1:${Number(port)}`, pid: child.pid ?? 0 });
  } finally {
    child.kill();
  }
}

export const sales: Group = async () => {
  const rows: Row[] = [];
  for (const { name, sent, kept = false, goal } of KINDS) {
    const figures = await withService({ kept }, async (service) => {
      const { path, method, body, headers } = sent;
      const init = { method, headers: { ...headers }, ...(body === undefined ? {} : { body }) };
      const answer = await (await fetch(service.url + path, init)).text();
      return withBare(answer, async (bare) => {
        const side = (server: typeof bare) => (ms?: number) => cost(server, sent, CONNECTIONS, ms);
        const [own, other] = [side(service), side(bare)];
        await other(WARM_UP_MS);
        await own(WARM_UP_MS);
        return inTurns(own, other);
      });
    });
    const limit = goal === undefined ? {} : { goal };
    rows.push({ name: `${name}, main thread`, beside: "`node:http`", ...limit, ...figures, unit: "us" });
  }
  return rows;
};
