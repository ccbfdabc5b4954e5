/** Talks to the service: reads, listens for changes, and sends requests. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** A refusal in the service's own words. */
export class Refused extends Error {
  override readonly name = "Refused";
  constructor(
    message: string,
    readonly status: number,
    readonly body: unknown,
  ) {
    super(message);
  }
}

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
}

/** @throws Refused where the service says no, TypeError where it cannot be reached */
export async function call<T>(url: string, { method = "GET", body }: Call = {}): Promise<T> {
  const json = { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(url, { method, ...(body === undefined ? {} : json) });
  const said = await response.text();
  const answer = said === "" ? undefined : (JSON.parse(said) as unknown);
  if (!response.ok) throw new Refused(reasonIn(answer) ?? response.statusText, response.status, answer);
  return answer as T;
}

/** An answer that is a file. @throws Refused where the service says no */
export async function fileOf(url: string): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok) throw new Refused(response.statusText, response.status, undefined);
  return response.blob();
}

/** Sends a file unchanged. @throws Refused if the service says no */
export async function sendFile(url: string, file: Blob): Promise<void> {
  const headers = { "Content-Type": "application/octet-stream" };
  const response = await fetch(url, { method: "PUT", headers, body: file });
  if (response.ok) return;
  const said = (await response.json()) as unknown;
  throw new Refused(reasonIn(said) ?? response.statusText, response.status, said);
}

/** An answer of JSON lines, each as it comes. @throws Refused where the service says no */
export async function* linesOf(url: string): AsyncGenerator<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Refused(response.statusText, response.status, undefined);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let begun = "";
  for (;;) {
    const { done, value = "" } = (await reader?.read()) ?? { done: true };
    const lines = (begun + value).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as unknown;
    if (done) return;
  }
}

/** The service's errors have `details` as a text, the control interface's as a list. */
function reasonIn(json: unknown): string | undefined {
  const { message, details } = (json ?? {}) as { message?: string; details?: string | readonly string[] };
  if (typeof details === "string") return details;
  return [message, ...(details ?? [])].filter(Boolean).join(": ") || undefined;
}

type Listener = () => void;
const listeners = new Set<Listener>();

/** How the service was last heard of. */
interface Connection {
  readonly connected: boolean;
  /** How often it was lost and found: another process may answer, or the same one with another world. */
  readonly times: number;
}

let connection: Connection = { connected: true, times: 0 };
const connectionListeners = new Set<(connection: Connection) => void>();
let stream: EventSource | undefined;
let heard = Date.now();

/** ms without a word, of which there is one every 15 s, after which the service counts as gone. */
const SILENCE = 40_000;
/** ms before another try. */
const AGAIN = 250;
/** ms between looks at the silence. */
const LOOK = 5_000;
/** ms; certificates end and rates change without a word. */
const MINUTE = 60_000;

function tellAll(): void {
  for (const listener of listeners) listener();
}

/** ms; a service that restarts is back by then, and the page shows no alarm. */
const PATIENCE = 1_500;
let alarm: number | undefined;
/** The page did not listen, so it does not know what it has missed. */
let unheard = false;

/** After a loss, another process may answer: `times` makes those read again that keep an answer. */
function found(): void {
  const lost = alarm !== undefined || unheard || !connection.connected;
  clearTimeout(alarm);
  alarm = undefined;
  unheard = false;
  if (lost) setConnection({ connected: true, times: connection.times + 1 });
}

function missed(): void {
  alarm ??= setTimeout(gone, PATIENCE);
}

function gone(): void {
  alarm = undefined;
  if (connection.connected) setConnection({ ...connection, connected: false });
}

function setConnection(now: Connection): void {
  connection = now;
  for (const listener of connectionListeners) listener(now);
}

/** Open while the page is visible: a browser has six connections for a host, and hidden tabs need none. */
function openStream(): void {
  if (stream || document.visibilityState === "hidden") return;
  heard = Date.now();
  stream = new EventSource("/console/events");
  stream.addEventListener("alive", () => {
    heard = Date.now();
  });
  stream.addEventListener("changed", () => {
    heard = Date.now();
    found();
    tellAll();
  });
  stream.addEventListener("error", () => {
    missed();
    // The browser retries on its own, but not if another program has answered.
    if (stream?.readyState === EventSource.CLOSED) {
      stream = undefined;
      setTimeout(openStream, AGAIN);
    }
  });
}

function closeStream(): void {
  unheard = true;
  stream?.close();
  stream = undefined;
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") openStream();
  else closeStream();
});
setInterval(() => {
  if (!stream || Date.now() - heard < SILENCE) return;
  gone();
  closeStream();
  openStream();
}, LOOK);
setInterval(tellAll, MINUTE);

export function useConnection(): Connection {
  const [now, setNow] = useState(connection);
  useEffect(() => {
    openStream();
    setNow(connection);
    connectionListeners.add(setNow);
    return () => void connectionListeners.delete(setNow);
  }, []);
  return now;
}

/** Runs after every change. */
export function useEveryChange(listener: () => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const listen = () => latest.current();
    openStream();
    listeners.add(listen);
    return () => void listeners.delete(listen);
  }, []);
}

export interface Live<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
  readonly refresh: () => void;
}

/** What stands at an address, again after every change. @param url undefined asks nothing */
export function useLive<T>(url: string | undefined): Live<T> {
  const [value, setValue] = useState<{ readonly url: string; readonly value: T }>();
  const [error, setError] = useState<Error>();
  const asked = useRef(0);
  const refresh = useCallback(() => {
    if (url === undefined) return;
    const mine = ++asked.current;
    const latest = () => mine === asked.current;
    call<T>(url).then(
      (answer) => {
        if (!latest()) return;
        setValue({ url, value: answer });
        setError(undefined);
      },
      (reason: unknown) => latest() && setError(reason as Error),
    );
  }, [url]);
  useEveryChange(refresh);
  useEffect(refresh, [refresh]);
  return { value: value?.value, error, refresh };
}

/** The answer from an address, fetched once. */
export function useOnce<T>(url: string): T | undefined {
  const [value, setValue] = useState<T>();
  useEffect(() => {
    call<T>(url).then(setValue, () => undefined);
  }, [url]);
  return value;
}
