/** The main thread's CPU time of a sale in bulk, compared with that of bare node:http, which parses it and gives the same answer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { rate, type Sent } from "./client.js";
import { type Group, measured, type Row } from "./row.js";
import { invoice, mainThreadMsOf, withService } from "./service.js";

const CONNECTIONS = 32;
const RUNS = 5;
const SERVER = fileURLToPath(new URL("bare-server.js", import.meta.url));

const KINDS = [
  { name: "no data folder, without QR code", kept: false, qr: false, goal: 25 },
  { name: "no data folder, with QR code", kept: false, qr: true, goal: 24 },
  { name: "data folder, with QR code", kept: true, qr: true, goal: 32 },
];

/** @returns ms of the main thread for each request */
async function cost(url: string, sent: Sent, seconds: number, mainThreadMs: () => number): Promise<number> {
  const began = mainThreadMs();
  const requests = (await rate(url, sent, CONNECTIONS, seconds)) * seconds;
  return (mainThreadMs() - began) / requests;
}

async function withBare<T>(answer: string, task: (url: string, mainThreadMs: () => number) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [SERVER, answer], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    return await task(`http://127.0.0.1:${Number(port)}`, () => mainThreadMsOf(child.pid));
  } finally {
    child.kill();
  }
}

export const sales: Group = async (seconds) => {
  const rows: Row[] = [];
  for (const { name, kept, qr, goal } of KINDS) {
    const sent = invoice({ qr });
    const [ratios, costs] = await withService({ kept }, async (service) => {
      const { path, body, headers } = sent;
      const posted = await fetch(service.url + path, { method: "POST", body: body ?? "", headers: { ...headers } });
      return withBare(await posted.text(), async (url, mainThreadMs) => {
        await cost(url, sent, seconds, mainThreadMs);
        await cost(service.url, sent, seconds, service.mainThreadMs);
        const [times, us]: [number[], number[]] = [[], []];
        for (let run = 0; run < RUNS; run++) {
          const bare = await cost(url, sent, seconds / 2, mainThreadMs);
          const own = await cost(service.url, sent, seconds / 2, service.mainThreadMs);
          times.push(own / bare);
          us.push(own * 1000);
        }
        return [times, us];
      });
    });
    const what = `main thread of a sale in bulk: ${name}`;
    rows.push(
      { name: `${what}, beside bare \`node:http\``, ...measured(ratios), goal, higherIsBetter: false, unit: "times" },
      { name: what, ...measured(costs), higherIsBetter: false, unit: "us" },
    );
  }
  return rows;
};
