/** Requests that sign nothing, compared with bare node:http that gives the same answer. */
import { request } from "node:http";
import { bareServer } from "./bare.js";
import { rate, type Sent } from "./client.js";
import { type Group, measured, type Row } from "./row.js";
import { PIN, withService } from "./service.js";

const CONNECTIONS = 32;
const RUNS = 3;

const KINDS: readonly { name: string; sent: Sent; goal: number }[] = [
  { name: "attention", sent: { method: "GET", path: "/api/v3/attention" }, goal: 60 },
  { name: "status", sent: { method: "GET", path: "/api/v3/status" }, goal: 25 },
  { name: "PIN on an open session", sent: PIN, goal: 25 },
];

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Node sets these itself. */
const OF_THE_CONNECTION = /^(date|connection|keep-alive|content-length|transfer-encoding)$/;

function answerTo(url: string, { method, path, body, headers }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers: { ...headers }, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("end", () => {
        const own = Object.entries(response.headers).filter(([name]) => !OF_THE_CONNECTION.test(name));
        resolve({ body: text, headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])) });
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

export const api: Group = (seconds) =>
  withService(false, async ({ url }) => {
    const rows: Row[] = [];
    for (const { name, sent, goal } of KINDS) {
      const bare = await bareServer(await answerTo(url, sent));
      const shares: number[] = [];
      await rate(url, sent, CONNECTIONS, seconds / 2);
      await rate(bare.url, sent, CONNECTIONS, seconds / 2);
      for (let run = 0; run < RUNS; run++) {
        const most = await rate(bare.url, sent, CONNECTIONS, seconds / 2);
        shares.push((100 * (await rate(url, sent, CONNECTIONS, seconds / 2))) / most);
      }
      await bare.close();
      rows.push({ name: `${name} against bare node:http`, ...measured(shares), goal, higherIsBetter: true, unit: "%" });
    }
    return rows;
  });
