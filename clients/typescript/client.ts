/**
 * A typed client for tillseal and services with the same API, for browsers and Node. It has no dependencies:
 * it needs only fetch. Types and operations are generated from the OpenAPI document.
 */
import { CODES } from "./codes.js";
import {
  type ErrorRecord,
  type FiscalCode,
  type Invoice,
  type InvoiceAnswer,
  OPERATIONS,
  type Operations,
} from "./openapi.js";

export { type Action, CODES } from "./codes.js";
export type * from "./openapi.js";
export { OPERATIONS } from "./openapi.js";

export type Item = Invoice["items"][number];
export type Payment = Invoice["payment"][number];
export type TaxItem = InvoiceAnswer["taxItems"][number];

export type OperationName = keyof Operations;

/** What a call takes: `body`, `headers`, `path`, `query`, as the operation has them. */
export type Request<O extends OperationName> = Omit<Operations[O], "answers">;

interface AnswerHead<Status> {
  /** HTTP status. */
  readonly status: Status;
  /** A header of the answer, such as `Retry-After`; null if it is missing. */
  header(name: string): string | null;
}

export interface Done<Status, Data> extends AnswerHead<Status> {
  readonly ok: true;
  readonly data: Data;
}

export interface Refused<Status> extends AnswerHead<Status> {
  readonly ok: false;
  /** `CODES[error.code].action` says what a till does next. */
  readonly error: ErrorRecord;
}

type NumberOf<Text> = Text extends `${infer Number extends number}` ? Number : never;

/** Everything that the document says a call may answer: `ok` says whether it was done or refused. */
export type Answer<O extends OperationName> = {
  [S in keyof Operations[O]["answers"]]: Operations[O]["answers"][S] extends ErrorRecord
    ? Refused<NumberOf<S>>
    : Done<NumberOf<S>, Operations[O]["answers"][S]>;
}[keyof Operations[O]["answers"]];

type Arguments<O extends OperationName> =
  Record<never, never> extends Request<O> ? [request?: Request<O>] : [request: Request<O>];

/**
 * One method for each operation of the document. Each throws NoAnswer if no answer came in time, and UnexpectedAnswer if
 * the answer is not from the service, but for example from a proxy.
 */
export type Client = { readonly [O in OperationName]: (...request: Arguments<O>) => Promise<Answer<O>> };

/** The part of fetch that the client uses, without the types of browsers or Node. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: never },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
}>;

export interface ClientOptions {
  /**
   * Where the service is, without `/api/v3`, such as `https://hosted.example/TOKEN`. Default: TILLSEAL_URL, else
   * `http://localhost:8431`.
   */
  readonly url?: string;
  /** ms after which a call gives up; default 30,000 (docs/interface.md, "Limits"). */
  readonly timeLimitMs?: number;
  /** Default: the fetch of the browser or of Node. */
  readonly fetch?: Fetch;
}

/** No answer came. The card may have signed: send the same invoice with the same RequestId until an answer comes. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** An answer that the document does not describe. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";

  constructor(
    readonly status: number,
    readonly text: string,
  ) {
    super(`the answer is not one of a fiscal service: ${status} ${text.slice(0, 200)}`);
  }
}

interface AnyRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** A browser has no process. */
const defaultUrl = () => globalThis.process?.env.TILLSEAL_URL || "http://localhost:8431";

export function createClient({
  url = defaultUrl(),
  timeLimitMs = 30_000,
  fetch = globalThis.fetch as Fetch,
}: ClientOptions = {}): Client {
  const base = url.replace(/\/+$/, "");
  const methods = Object.entries(OPERATIONS).map(([name, { method, path, answer }]) => {
    const call = async (request: AnyRequest = {}) => {
      const init = { method, headers: headersOf(request), ...bodyOf(request) };
      try {
        const signal = AbortSignal.timeout(timeLimitMs) as never;
        const response = await fetch(base + addressOf(path, request), { ...init, signal });
        const header = (name: string) => response.headers.get(name);
        if (response.status === 200 && answer !== "json") {
          const data = answer === "bytes" ? new Uint8Array(await response.arrayBuffer()) : null;
          return { ok: true, status: response.status, header, data };
        }
        return { status: response.status, header, ...read(name, response.status, await response.text()) };
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
        throw new NoAnswer(`no answer to ${method} ${path}`, { cause: error });
      }
    };
    return [name, call] as const;
  });
  return Object.fromEntries(methods) as unknown as Client;
}

function headersOf({ body, headers = {} }: AnyRequest): Record<string, string> {
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const all: Record<string, string> = { Accept: "application/json", ...Object.fromEntries(sent) };
  if (body !== undefined) all["Content-Type"] = "application/json";
  return all;
}

const bodyOf = ({ body }: AnyRequest) => (body === undefined ? {} : { body: JSON.stringify(body) });

function addressOf(path: string, { path: parts = {}, query = {} }: AnyRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""));
  const asked = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return asked.length === 0 ? filled : `${filled}?${new URLSearchParams(asked)}`;
}

/**
 * Error records have a code of the catalogue; the codes of a PIN are texts, and devices send some errors as the code
 * alone (protocol facts, section 4).
 */
function read(operation: string, status: number, text: string) {
  const [, bare = ""] = /^"?(\d{4})"?$/.exec(text.trim()) ?? [];
  if (isCode(bare) && operation === "pin") return { ok: true, data: bare };
  if (isCode(bare) && status >= 400) {
    return { ok: false, error: { code: bare, message: CODES[bare].meaning, details: "", modelState: [] } };
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new UnexpectedAnswer(status, text);
  }
  if (isErrorRecord(data)) return { ok: false, error: data };
  if (status === 200) return { ok: true, data };
  throw new UnexpectedAnswer(status, text);
}

const isCode = (value: unknown): value is FiscalCode => typeof value === "string" && Object.hasOwn(CODES, value);

function isErrorRecord(value: unknown): value is ErrorRecord {
  return typeof value === "object" && value !== null && "code" in value && isCode(value.code);
}

export interface SubmitOptions {
  /** How often the invoice is sent before submit gives up; default 3. */
  readonly attempts?: number;
  /** ms before the first repeat, doubled with each; default 1,000. */
  readonly pauseMs?: number;
}

/**
 * Sends an invoice, and repeats it with the same RequestId if no answer comes: it is never signed twice.
 * @param requestId up to 32 characters, new for each invoice and stored by the POS before it calls
 * @throws NoAnswer after the last attempt; repeat later with the same RequestId
 */
export async function submit(
  client: Pick<Client, "invoices">,
  invoice: Invoice,
  requestId: string,
  { attempts = 3, pauseMs = 1_000 }: SubmitOptions = {},
): Promise<Answer<"invoices">> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await client.invoices({ body: invoice, headers: { RequestId: requestId } });
    } catch (error) {
      if (!(error instanceof NoAnswer) || attempt >= attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** (attempt - 1)));
    }
  }
}
