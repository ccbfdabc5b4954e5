/** One request of a POS. It never throws: a broken connection is a result, too. */
import { request } from "node:http";

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly code: string | undefined;
  readonly details: string;
}

export type Outcome = Reply | "broken" | "timeout";

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** ms after which the POS hangs up. */
  readonly hangUp?: number;
}

/** ms; well above the service's limits: 10 s for a hanging card, and a queue in front of it. */
const TIMEOUT_MS = 90_000;

export function call(url: string, { method, path, headers = {}, body, hangUp }: Request): Promise<Outcome> {
  return new Promise((resolve) => {
    const sent = request(new URL(path, url), { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => resolve("broken"));
      response.on("close", () => {
        if (!response.complete) resolve("broken");
      });
      response.on("end", () => resolve(replyOf(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"))));
    });
    const timer = setTimeout(() => {
      resolve(hangUp === undefined ? "timeout" : "broken");
      sent.destroy();
    }, hangUp ?? TIMEOUT_MS);
    sent.on("error", () => resolve("broken"));
    sent.on("close", () => clearTimeout(timer));
    sent.end(body);
  });
}

function replyOf(status: number, text: string): Reply {
  if (status < 400) return { status, text, code: undefined, details: "" };
  try {
    const { code, details } = JSON.parse(text) as { code?: string; details?: string };
    return { status, text, code, details: details ?? "" };
  } catch {
    return { status, text, code: undefined, details: text };
  }
}
