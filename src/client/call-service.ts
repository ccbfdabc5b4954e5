/** Calls the running service in the same way as its console does, or its handlers if no service runs. */
import { UserError } from "../base/user-error.js";

/**
 * Maximum ms to wait for an answer. A request may wait for its turn, and the service gives up on a hanging card after
 * 10 s.
 */
const SERVICE_ANSWER_LIMIT_MS = 30_000;

export interface ServicePlace {
  /** Undefined if no service runs: `fetch` then answers from the store. */
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch?: (
    url: string,
    init: { readonly method: string; readonly headers: ServicePlace["headers"]; readonly body: string | null },
  ) => Promise<Response>;
}

export type ServiceCall = (method: "GET" | "POST", path: string, body?: object) => Promise<unknown>;

/** @param below part of the address after `/console`, such as `/reports` @returns a function that throws UserError */
export function serviceCall(running: ServicePlace, below: string): ServiceCall {
  return async (method, path, body) => {
    const text = await (await callService(running, method, below + path, body)).text();
    return text === "" ? undefined : JSON.parse(text);
  };
}

/** @param patience ms; Infinity for no time limit @throws UserError if the service does not answer, or refuses */
export async function callService(
  place: ServicePlace,
  method: "GET" | "POST",
  path: string,
  body?: object,
  patience = SERVICE_ANSWER_LIMIT_MS,
): Promise<Response> {
  const { url } = place;
  const headers = body ? { ...place.headers, "Content-Type": "application/json" } : place.headers;
  const init = { method, headers, body: body ? JSON.stringify(body) : null };
  if (place.fetch) {
    const answer = await place.fetch(`http://localhost/console${path}`, init);
    if (!answer.ok) throw new UserError(reasonIn(await answer.text()));
    return answer;
  }
  const limit = patience === Number.POSITIVE_INFINITY ? {} : { signal: AbortSignal.timeout(patience) };
  const answer = await fetch(`${url}/console${path}`, { ...init, ...limit, redirect: "error" }).catch(() => undefined);
  if (!answer) throw new UserError(`the service at ${url} does not answer`);
  if (!answer.ok) throw new UserError(`the service at ${url} refused: ${reasonIn(await answer.text())}`);
  return answer;
}

/** The records of the till's interface have `details` as a text, those of the console as a list. */
function reasonIn(text: string): string {
  try {
    const { message, details } = JSON.parse(text) as { message: string; details: string | readonly string[] };
    return typeof details === "string" ? details : [message, ...details].join(": ");
  } catch {
    return text;
  }
}
