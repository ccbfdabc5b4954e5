/** Makes HTTP exchanges, by default each on a new connection. */
import { type Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import type { Looks } from "../../emulator/world/look.js";
import { codeOf } from "../../src/base/thrown.js";

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

/** The longest time that a till should wait for a whole answer (docs/interface.md, "Limits"). */
const ANSWER_LIMIT_MS = 30_000;

/** Bytes of a request or an answer. A fiscal service accepts at most 1 MiB, and its answers are smaller. */
export const LARGEST_BODY_BYTES = 4 * 1024 * 1024;

export class TooLarge extends Error {
  override readonly name = "TooLarge";
  constructor() {
    super(`the answer is larger than ${LARGEST_BODY_BYTES} bytes`);
  }
}

export class NoAnswerInTime extends Error {
  override readonly name = "NoAnswerInTime";
}

/** Sends a request. Rejects with NoAnswerInTime if no byte comes for `timeout`, or with the system's error. */
export function send(options: RequestOptions, body?: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = (options.protocol === "https:" ? httpsRequest : httpRequest)(options, resolve);
    sent.on("timeout", () => sent.destroy(new NoAnswerInTime(`no answer in ${options.timeout} ms`)));
    sent.on("error", reject);
    // If the answer is HTTP 101 (another protocol), Node closes the request and emits no response.
    sent.once("close", () => reject(Object.assign(new Error("the connection was cut"), { code: "ECONNRESET" })));
    sent.end(body);
  });
}

/**
 * Reads a whole body.
 * @param readOn whether to read a body that is too large to its end, because a client sends its whole body before it
 * reads the answer
 * @throws TooLarge if the body is larger than {@link LARGEST_BODY_BYTES}
 */
export async function collected(message: IncomingMessage, readOn: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= LARGEST_BODY_BYTES) chunks.push(chunk);
    else if (readOn) chunks.length = 0;
    else throw new TooLarge();
  }
  if (size > LARGEST_BODY_BYTES) throw new TooLarge();
  return Buffer.concat(chunks);
}

/**
 * Sends one request.
 * @param agent keeps connections; without an agent, each call opens a new connection
 * @returns the answer, or undefined if the connection broke before the answer was complete
 */
export async function httpCall(
  baseUrl: string,
  { method, path, headers, body }: HttpRequest,
  agent: Agent | false = false,
): Promise<HttpAnswer | undefined> {
  // We append the path to the base URL, because the base URL of a hosted service may have a token in its path.
  const url = urlToHttpOptions(new URL(baseUrl.replace(/\/$/, "") + path));
  // We set Content-Length, because Node does not set it for the body of a GET.
  const length: Record<string, string> = body ? { "Content-Length": String(body.length) } : {};
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ANSWER_LIMIT_MS);
  try {
    const options = { ...url, method, headers: { ...length, ...headers }, agent, signal: limit.signal };
    const response = await send(options as RequestOptions, body);
    const text = (await collected(response, false)).toString("utf8");
    const named = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    return { status: response.statusCode ?? 0, headers: Object.fromEntries(named), text };
  } catch (error) {
    if (limit.signal.aborted) throw new Error(`it took more than ${ANSWER_LIMIT_MS} ms`);
    const code = codeOf(error);
    if (code === "ECONNRESET" || code === "EPIPE") return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Sends a request to the online service. @param request may have a header with another PAC, or with an empty PAC */
export async function onlineCall(
  { url, pac, certificate: cert, key, ca }: Pick<Looks["vsdc"], "url" | "pac" | "certificate" | "key" | "ca">,
  request: HttpRequest,
): Promise<HttpAnswer | undefined> {
  const agent = new HttpsAgent({ cert, key, ca, keepAlive: false });
  try {
    return await httpCall(url, { ...request, headers: { PAC: pac, ...request.headers } }, agent);
  } finally {
    agent.destroy();
  }
}
