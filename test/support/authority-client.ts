/** Calls the emulated authority as any service would: node:https, a client certificate and a token. */
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { SDC_PREFIX, TOKEN_HEADER } from "../../emulator/tax-authority/sdc-api.js";
import type { TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";

export interface AuthorityAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; throws when it is not JSON. */
  json<T = Record<string, unknown>>(): T;
}

export interface CallParts {
  readonly headers?: Record<string, string>;
  /** Sent as JSON unless it is text or bytes. */
  readonly body?: unknown;
  readonly cert?: string;
  readonly key?: string;
  /** Name that the server's certificate must have; default: the host in the URL. */
  readonly servername?: string;
}

export function callAuthority(
  server: Pick<TaxAuthorityServer, "url" | "caCertificate">,
  method: string,
  path: string,
  { headers = {}, body, ...identity }: CallParts = {},
): Promise<AuthorityAnswer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, ca: server.caCertificate, ...identity, agent: false };
    const sent = request(new URL(path, server.url), options, async (response) => {
      const body = await text(response).catch(reject);
      if (body === undefined) return;
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, text: body, json: <T>() => JSON.parse(body) as T });
    });
    sent.on("error", reject);
    const asItIs = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    sent.end(asItIs ? body : JSON.stringify(body));
  });
}

export interface AuthorityClient {
  readonly token: string;
  /** Below `/api/v3/sdc`. */
  call(method: string, path: string, body?: unknown): Promise<AuthorityAnswer>;
}

export async function authorityClient(server: TaxAuthorityServer, uid: string): Promise<AuthorityClient> {
  const { certificate: cert, key } = server.tls.client({ uid: uid });
  const answer = await callAuthority(server, "GET", `${SDC_PREFIX}/token`, { cert, key });
  const { token } = answer.json<{ token: string }>();
  return {
    token,
    call: (method, path, body) =>
      callAuthority(server, method, SDC_PREFIX + path, {
        headers: { [TOKEN_HEADER]: token, "Content-Type": "application/json" },
        ...(body === undefined ? {} : { body }),
      }),
  };
}
