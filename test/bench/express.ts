/** CPU time of a sale on the main thread, compared with that of Express' `res.json` of the same answer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { rate, type Sent } from "./client.js";
import { type Group, measured, type Row } from "./row.js";
import { invoice, mainThreadMsOf, withService } from "./service.js";

const CONNECTIONS = 32;
const RUNS = 5;
const SERVER = fileURLToPath(new URL("express-server.js", import.meta.url));

/** @returns ms of the main thread for each request */
async function cost(url: string, sent: Sent, seconds: number, mainThreadMs: () => number): Promise<number> {
  const began = mainThreadMs();
  const requests = (await rate(url, sent, CONNECTIONS, seconds)) * seconds;
  return (mainThreadMs() - began) / requests;
}

async function withExpress<T>(
  answer: string,
  task: (url: string, mainThreadMs: () => number) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [SERVER, answer], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    return await task(`http://127.0.0.1:${Number(port)}`, () => mainThreadMsOf(child.pid));
  } finally {
    child.kill();
  }
}

export const express: Group = async (seconds) => {
  const rows: Row[] = [];
  for (const qr of [true, false]) {
    const sent = invoice({ qr });
    const measuredRatios = await withService(false, async (service) => {
      const { path, body, headers } = sent;
      const posted = await fetch(service.url + path, { method: "POST", body: body ?? "", headers: { ...headers } });
      const answer = await posted.text();
      return withExpress(answer, async (url, mainThreadMs) => {
        await cost(url, sent, seconds, mainThreadMs);
        await cost(service.url, sent, seconds, service.mainThreadMs);
        const ratios: number[] = [];
        for (let run = 0; run < RUNS; run++) {
          const express = await cost(url, sent, seconds / 2, mainThreadMs);
          ratios.push((await cost(service.url, sent, seconds / 2, service.mainThreadMs)) / express);
        }
        return ratios;
      });
    });
    const name = `main thread of a sale, ${qr ? "with" : "without"} QR code, against Express' res.json of its answer`;
    rows.push({ name, ...measured(measuredRatios), goal: 3, higherIsBetter: false, unit: "times" });
  }
  return rows;
};
