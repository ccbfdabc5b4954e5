/** Sends a request and reads its whole answer, within limits of time and size. */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent, type AgentOptions, request as requestHttps } from "node:https";
import { createSecureContext } from "node:tls";
import { codeOf } from "../base/thrown.js";
import type { ClientCertificate } from "./client-certificate.js";
import { ProxyAgent } from "./proxy-agent.js";

export interface HttpsClientOptions {
  readonly certificate?: ClientCertificate | undefined;
  /** Whether our key can sign with PKCS #1 v1.5 only: the client then uses TLS 1.2 and no PSS. */
  readonly pkcs1Only?: boolean | undefined;
  /** PEM: the only CAs that are trusted. Default: the CAs that Node trusts. */
  readonly ca?: string | undefined;
  /** Address of an HTTP proxy: http://host:port */
  readonly proxy?: URL | undefined;
  /** Maximum time in ms for a request and its whole answer; default 30,000. */
  readonly timeLimitMs?: number | undefined;
}

export interface Question {
  readonly method: "GET" | "PUT" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string | undefined;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export class Ended extends Error {
  constructor(readonly why: "too-slow" | "too-big" | "closed" | "not-text") {
    super(why);
  }
}

/** A key in a card can sign only with the first two algorithms. The others are for the server's certificates. */
const PKCS1_ALGORITHMS = "RSA+SHA256:RSA+SHA384:ECDSA+SHA256:ECDSA+SHA384";
const TIME_LIMIT_MS = 30_000;
/** Maximum size of an answer's body in bytes. */
export const SIZE_LIMIT_BYTES = 4 * 1024 * 1024;

export class HttpsClient {
  private readonly agent: Agent;
  private readonly helperAgent = new HttpAgent({ keepAlive: true });
  private readonly closing = new AbortController();
  readonly timeLimitMs: number;
  readonly pkcs1Only: boolean;

  constructor({ certificate, pkcs1Only = false, ca, proxy, timeLimitMs = TIME_LIMIT_MS }: HttpsClientOptions) {
    this.pkcs1Only = pkcs1Only;
    this.timeLimitMs = timeLimitMs;
    const options: AgentOptions = {
      keepAlive: true,
      // Without this option, NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would switch off the check.
      rejectUnauthorized: true,
      secureContext: createSecureContext({
        minVersion: "TLSv1.2",
        ...(pkcs1Only ? { maxVersion: "TLSv1.2", sigalgs: PKCS1_ALGORITHMS } : {}),
        ...(ca === undefined ? {} : { ca }),
        ...(certificate && {
          cert: certificate.chain,
          key: certificate.privateKey.export({ type: "pkcs8", format: "pem" }),
        }),
      }),
    };
    this.agent = proxy ? new ProxyAgent(proxy, timeLimitMs, options) : new Agent(options);
  }

  /** Sends a request and reads its answer. @throws Ended, or Node's error about the connection, TLS or HTTP */
  async send(question: Question): Promise<HttpsAnswer> {
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(new Ended("too-slow")), this.timeLimitMs);
    const ended = AbortSignal.any([slow.signal, this.closing.signal]);
    try {
      ended.throwIfAborted();
      return await this.answerTo(question, ended);
    } catch (error) {
      throw ended.aborted ? ended.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.closing.abort(new Ended("closed"));
    this.agent.destroy();
    this.helperAgent.destroy();
  }

  private async answerTo(question: Question, ended: AbortSignal): Promise<HttpsAnswer> {
    const response = await this.begin(question, ended);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > SIZE_LIMIT_BYTES) throw new Ended("too-big");
      chunks.push(chunk);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: textOf(chunks) };
  }

  /** Repeats the request if the other end has closed a kept connection. Every request of this API may be repeated. */
  private async begin(question: Question, signal: AbortSignal): Promise<IncomingMessage> {
    for (;;) {
      const { response, reused } = await this.attempt(question, signal);
      if (!(response instanceof Error)) return response;
      const closed = ["ECONNRESET", "EPIPE"].includes(codeOf(response) ?? "");
      if (!reused || !closed || signal.aborted) throw response;
    }
  }

  private attempt(
    { method, url, headers, body }: Question,
    signal: AbortSignal,
  ): Promise<{ response: IncomingMessage | Error; reused: boolean }> {
    const options = {
      method,
      headers: {
        ...headers,
        accept: "application/json",
        "accept-encoding": "identity",
        ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      },
    };
    return new Promise((resolve) => {
      const request =
        url.protocol === "https:"
          ? requestHttps(url, { ...options, agent: this.agent })
          : requestHttp(url, { ...options, agent: this.helperAgent });
      const end = (response: IncomingMessage | Error) => resolve({ response, reused: request.reusedSocket });
      // Do not use the option `signal`, because it destroys the socket with an error. If the answer is already complete
      // and the agent has the socket back, that error ends the process.
      const destroy = () => void request.destroy();
      signal.addEventListener("abort", destroy, { once: true });
      request.once("close", () => signal.removeEventListener("abort", destroy));
      request.once("response", end);
      request.on("error", end);
      // Report an error if a request closes with neither an answer nor an error. Node closes a request in this way if
      // the answer switches to another protocol (HTTP 101).
      request.once("close", () => end(Object.assign(new Error("the connection was cut"), { code: "ECONNRESET" })));
      request.end(body);
    });
  }
}

function textOf(chunks: readonly Buffer[]): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Ended("not-text");
  }
}
