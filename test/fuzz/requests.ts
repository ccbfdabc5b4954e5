/** One request, derived from the document: valid, nearly valid or hostile. */
import { type Agent, request } from "node:http";
import { gzipSync } from "node:zlib";
import type { Chance } from "../faults/chance.js";
import type { Answer, Described, Endpoint } from "./described.js";
import type { Generator } from "./generate.js";
import { INHERITED, mutated, mutatedText } from "./mutate.js";

export const KINDS = ["valid", "nearly valid", "hostile", "raw"] as const;
export type Kind = (typeof KINDS)[number];

export interface Made {
  /** Undefined when the request goes to no endpoint, or when a layer before the endpoints may refuse it. */
  readonly endpoint: Endpoint | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

const HOSTILE_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { Host: "evil.example" },
  { Origin: "https://evil.example" },
  { "Sec-Fetch-Site": "cross-site" },
  { Purpose: "prefetch" },
  { RequestId: "x".repeat(500) },
  { RequestId: "ж".repeat(3) },
  { "Accept-Language": "tlh;;;q=,," },
  { "Accept-Language": "x".repeat(3_000) },
  { Accept: "text/nothing" },
  { Cookie: "a=b; ".repeat(500) },
  { "X-HTTP-Method-Override": "DELETE" },
];
const READ_HEADERS = ["Accept", "Accept-Language", "Content-Encoding", "Content-Type", "RequestId", "Sec-Fetch-Site"];
const TYPES = [
  "application/json",
  "text/plain",
  "application/xml",
  "",
  "application/json; charset=utf-16",
  "a/b/c",
  "application/json; charset=nonsense",
  "multipart/form-data",
  "application/x-www-form-urlencoded",
];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "PROPFIND"];
const PATHS = [
  "/",
  "/api",
  "/api/v3",
  "/api/v3/",
  "/api/v2/status",
  "/api/v3/nowhere",
  "/api/v3/invoices/%00",
  "//",
  "/%",
  "/api/v3/invoices/%FF%FE",
  "/api/v3/../../etc/passwd",
  "/api/v3/%2e%2e/%2e%2e/x",
  "/api/v3/STATUS",
  "/favicon.ico",
  "/openapi.json",
  "/api/v3/status?x=%",
  `/api/v3/invoices/${"y".repeat(3_000)}`,
  "/console/..;/x",
  "/?a[b]=c",
  ...INHERITED.flatMap((name) => [`/api/v3/${name}`, `/api/v3/invoices/${name}/escpos?paper=${name}&${name}=1`]),
];

export function make(kind: Exclude<Kind, "raw">, described: Described, generator: Generator, chance: Chance): Made {
  const endpoint = chance.pick(described.endpoints);
  const { method, operation } = endpoint;
  const path = endpoint.path.replace(/\{\w+\}/, () => `id-${chance.between(1, 99_999)}`);
  const contents = Object.entries(operation.requestBody?.content ?? {});
  const [type, content] = contents.length === 0 ? [undefined, undefined] : chance.pick(contents);
  const value = content && generator.value(content.schema);
  const body = value === undefined ? undefined : type === "application/json" ? JSON.stringify(value) : String(value);
  const headers: Record<string, string> = {
    ...(type === undefined ? {} : { "Content-Type": type }),
    ...(chance.oneIn(3) ? { RequestId: `id-${chance.between(1, 99_999)}` } : {}),
  };
  const valid: Made = { endpoint, method, path, headers, body };
  if (kind === "valid") return valid;
  if (kind === "nearly valid") return nearly(valid, value, chance);
  return hostile(valid, chance);
}

function nearly(made: Made, value: unknown, chance: Chance): Made {
  if (made.body === undefined) return { ...made, path: `${made.path}${chance.pick(["", "?x=1", "?"])}` };
  const text = chance.oneIn(3) ? mutatedText(String(made.body), chance) : JSON.stringify(mutated(value, chance));
  return { ...made, body: text ?? "" };
}

function hostile(made: Made, chance: Chance): Made {
  const bytes = chance.bytes(chance.between(0, 400));
  switch (chance.between(1, 8)) {
    case 1:
      return { ...made, headers: { ...made.headers, ...hostileHeader(chance) } };
    case 2:
      return { ...made, headers: { ...made.headers, "Content-Type": chance.pick(TYPES) } };
    case 3:
      return { ...made, endpoint: undefined, method: chance.pick(METHODS), path: chance.pick(PATHS) };
    case 4:
      return { ...made, endpoint: undefined, method: chance.pick(METHODS) };
    case 5:
      return { ...made, ...ifBody(made, gzipSync(made.body ?? ""), { "Content-Encoding": "gzip" }) };
    case 6:
      return {
        ...made,
        ...ifBody(made, bytes, { "Content-Encoding": chance.pick(["gzip", "br", "deflate", "x", ...INHERITED]) }),
      };
    case 7:
      return { ...made, ...ifBody(made, `${'{"a":'.repeat(chance.between(1, 5_000))}1`) };
    default:
      return { ...made, ...ifBody(made, chance.oneIn(50) ? "9".repeat(1_200_000) : bytes) };
  }
}

const hostileHeader = (chance: Chance): Readonly<Record<string, string>> =>
  chance.oneIn(2) ? chance.pick(HOSTILE_HEADERS) : { [chance.pick(READ_HEADERS)]: chance.pick(INHERITED) };

function ifBody({ body, headers }: Made, other: string | Uint8Array, more: Record<string, string> = {}): Partial<Made> {
  return body === undefined ? {} : { body: other, headers: { ...headers, ...more } };
}

/** @returns undefined when the connection closed without an answer, "timeout" when nothing came in 30 s */
export function send(url: string, agent: Agent, made: Made): Promise<Answer | undefined | "timeout"> {
  const { hostname, port } = new URL(url);
  const { method, path, body } = made;
  return new Promise((resolve) => {
    const headers = Object.entries(made.headers).map(([name, text]) => [name, Buffer.from(text).toString("latin1")]);
    const options = {
      hostname,
      port,
      method,
      path,
      agent,
      headers: Object.fromEntries(headers) as Record<string, string>,
    };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => resolve(undefined));
      response.on("end", () => {
        const type = String(response.headers["content-type"] ?? "").split(";")[0] ?? "";
        resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    sent.setTimeout(30_000, () => {
      resolve("timeout");
      sent.destroy();
    });
    sent.on("error", () => resolve(undefined));
    sent.end(body);
  });
}
