/** Sends requests to the service behind the proxy. */
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { codeOf } from "../../src/base/thrown.js";
import { collected, LARGEST_BODY_BYTES, NoAnswerInTime, send, TooLarge } from "../scenario/http-call.js";

export type TargetAnswer = Awaited<ReturnType<Target["send"]>>;

/** Error if no complete answer came. The message has no path and no headers, because both may contain a secret. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  constructor(
    readonly status: 502 | 504,
    message: string,
  ) {
    super(message);
  }
}

/** ms without a byte after which the proxy gives up. It is more than the 30 s of a POS (docs/interface.md, "Limits"). */
const TIME_LIMIT_MS = 60_000;

export class Target {
  private readonly context: SecureContext | undefined;

  /** @param url http or https. Its path is added in front of every request's path */
  constructor(
    private readonly url: URL,
    tls: SecureContextOptions,
  ) {
    this.context = url.protocol === "https:" ? createSecureContext(tls) : undefined;
  }

  /** Origin of the target. It has no path, because a path may contain a token. */
  get origin(): string {
    return this.url.origin;
  }

  /**
   * Sends one request on a new connection. A connection that we keep may be closed already, and we cannot safely send a
   * sale twice.
   * @param path with query, as the POS sent it
   * @throws TargetError if no complete answer came
   */
  async send(method: string, path: string, headers: HeaderLines, body: Buffer) {
    const { hostname, port, host, protocol, pathname } = this.url;
    const options = {
      ...(this.context ? { secureContext: this.context } : {}),
      protocol,
      method,
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      agent: false,
      timeout: TIME_LIMIT_MS,
      // We do not use URL for the path, because URL would change it, and the target must get exactly what the POS sent.
      path: pathname.replace(/\/$/, "") + path,
      headers: { ...headers, host, "accept-encoding": "identity", ...lengthOf(method, body) },
    } as const;
    try {
      const response = await send(options, body);
      const bytes = await collected(response, false);
      const dropped = method === "HEAD" ? [] : ["content-length"];
      return { status: response.statusCode ?? 502, headers: endToEnd(response.rawHeaders, dropped), body: bytes };
    } catch (error) {
      throw asTargetError(error);
    }
  }
}

function lengthOf(method: string, body: Buffer): Record<string, string> {
  return body.length === 0 && (method === "GET" || method === "HEAD") ? {} : { "content-length": String(body.length) };
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/, "; name the authority that issued its certificate with --ca"],
  [/ALERT|HANDSHAKE/, "; it may want a client certificate (--cert and --key)"],
];

function asTargetError(error: unknown): TargetError {
  if (error instanceof TooLarge) return new TargetError(502, `its answer is larger than ${LARGEST_BODY_BYTES} bytes`);
  if (error instanceof NoAnswerInTime) return new TargetError(504, `it has sent nothing for ${TIME_LIMIT_MS} ms`);
  const code = codeOf(error) ?? (error instanceof Error ? error.name : "unknown");
  const hint = HINTS.find(([pattern]) => pattern.test(code))?.[1] ?? "";
  return new TargetError(502, `the connection failed: ${code}${hint}`);
}

export type HeaderLines = Readonly<Record<string, string[]>>;

/** Headers that belong to one connection. The proxy never forwards them (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/**
 * Returns the headers to forward.
 * @param raw names and values in turn, as Node gives them
 * @param dropped names of more headers that the proxy does not forward, in lower case
 */
export function endToEnd(raw: readonly string[], dropped: readonly string[]): HeaderLines {
  const lines = new Map<string, string[]>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    lines.set(name, [...(lines.get(name) ?? []), raw[i + 1] ?? ""]);
  }
  const named = (lines.get("connection") ?? []).join(",").toLowerCase().split(",");
  for (const name of [...HOP_BY_HOP, ...named.map((one) => one.trim()), ...dropped]) lines.delete(name);
  return Object.fromEntries(lines);
}
