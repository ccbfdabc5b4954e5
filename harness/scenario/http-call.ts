/** Makes one HTTP exchange, by default on a new connection. */
import { type Agent, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** ms. The longest time that a till should wait for a whole answer (docs/interface.md, "Limits"). */
const TIME_LIMIT = 30_000;

const MIB = 1024 * 1024;

/** Maximum bytes of a request or an answer. A fiscal service accepts at most 1 MiB, and its answers are smaller. */
export const LARGEST_BODY = 4 * MIB;

/**
 * Sends one request.
 * @param agent keeps connections; without an agent, each call opens a new connection
 * @returns the answer, or undefined if the connection broke before the answer was complete
 */
export function httpCall(
  baseUrl: string,
  { method, path, headers, body }: HttpRequest,
  agent: Agent | false = false,
): Promise<HttpAnswer | undefined> {
  // We set Content-Length, because Node does not set it for the body of a GET.
  const length: Record<string, string> = body ? { "Content-Length": String(body.length) } : {};
  const options = { method, headers: { ...length, ...headers }, agent };
  // We append the path to the base URL, because the base URL of a hosted service may have a token in its path.
  const url = new URL(baseUrl.replace(/\/$/, "") + path);
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= LARGEST_BODY) chunks.push(chunk);
        else {
          reject(new Error(`the answer is larger than ${LARGEST_BODY} bytes`));
          sent.destroy();
        }
      });
      response.on("error", () => resolve(undefined));
      response.on("end", () => {
        const named = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(named), text });
      });
    });
    const limit = setTimeout(() => sent.destroy(new Error(`no whole answer in ${TIME_LIMIT} ms`)), TIME_LIMIT);
    sent.on("close", () => clearTimeout(limit));
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(undefined);
      else reject(error);
    });
    sent.end(body);
  });
}
