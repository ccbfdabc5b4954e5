/** Calls the service: reads, waits for changes, and sends requests. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Error: the service refused a request. The message comes from the service. */
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

/** @throws Refused if the service refuses, TypeError if it cannot be reached */
export async function call<T>(url: string, { method = "GET", body }: Call = {}): Promise<T> {
  const json = { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(url, { method, ...(body === undefined ? {} : json) });
  const text = await response.text();
  const answer = text === "" ? undefined : (JSON.parse(text) as unknown);
  if (!response.ok) throw new Refused(reasonIn(answer) ?? response.statusText, response.status, answer);
  return answer as T;
}

/** Fetches a file. @throws Refused if the service refuses */
export async function fileOf(url: string): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok) throw new Refused(response.statusText, response.status, undefined);
  return response.blob();
}

/** Sends a file unchanged. @throws Refused if the service refuses */
export async function sendFile(url: string, file: Blob): Promise<void> {
  const headers = { "Content-Type": "application/octet-stream" };
  const response = await fetch(url, { method: "PUT", headers, body: file });
  if (response.ok) return;
  const answer = (await response.json()) as unknown;
  throw new Refused(reasonIn(answer) ?? response.statusText, response.status, answer);
}

/** Yields each JSON line of an answer as it arrives. @throws Refused if the service refuses */
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

/**
 * Finds the reason in an error: errors of the till's interface have `details` as a text, those of the console as a
 * list.
 */
function reasonIn(json: unknown): string | undefined {
  const { message, details } = (json ?? {}) as { message?: string; details?: string | readonly string[] };
  if (typeof details === "string") return details;
  return [message, ...(details ?? [])].filter(Boolean).join(": ") || undefined;
}

type Listener = () => void;
const listeners = new Set<Listener>();

/** State of the connection to the service. */
interface Connection {
  readonly connected: boolean;
  /**
   * How often the connection was restored. Afterwards another process may answer, or the same process with other data.
   */
  readonly times: number;
}

let connection: Connection = { connected: true, times: 0 };
const connectionListeners = new Set<(connection: Connection) => void>();
let stream: EventSource | undefined;
let lastEventAt = Date.now();

/** ms without an event after which the page treats the service as gone. The service sends `alive` every 5 s. */
const SILENCE_MS = 12_000;
/** ms before the stream is opened again. */
const AGAIN_MS = 250;
/** ms between checks for silence. */
const LOOK_INTERVAL_MS = 1_000;
/** ms between refreshes without an event. They are needed because certificates end and rates change with time. */
const MINUTE_MS = 60_000;

function tellAll(): void {
  for (const listener of listeners) listener();
}

/** A restart of the service takes less time. */
const LOST_CONNECTION_DELAY_MS = 1_500;
let alarm: number | undefined;
/** Whether the stream was closed while the page was hidden: events may have been missed. */
let unheard = false;

/**
 * Counts in `times` that the connection was restored, because another process may answer now. Pages that keep answers
 * read them again when `times` changes.
 */
function onConnected(): void {
  const lost = alarm !== undefined || unheard || !connection.connected;
  clearTimeout(alarm);
  alarm = undefined;
  unheard = false;
  if (lost) setConnection({ connected: true, times: connection.times + 1 });
}

function missed(): void {
  alarm ??= setTimeout(gone, LOST_CONNECTION_DELAY_MS);
}

function gone(): void {
  alarm = undefined;
  if (connection.connected) setConnection({ ...connection, connected: false });
}

function setConnection(now: Connection): void {
  connection = now;
  for (const listener of connectionListeners) listener(now);
}

/**
 * Opens the stream of events. It is open only while the page is visible, because a browser allows six connections to a
 * host, and hidden tabs need none.
 */
function openStream(): void {
  if (stream || document.visibilityState === "hidden") return;
  lastEventAt = Date.now();
  stream = new EventSource("/console/events");
  stream.addEventListener("alive", () => {
    lastEventAt = Date.now();
  });
  stream.addEventListener("changed", () => {
    lastEventAt = Date.now();
    onConnected();
    tellAll();
  });
  stream.addEventListener("error", () => {
    missed();
    // The browser opens the stream again by itself, except after an answer that is no event stream.
    if (stream?.readyState === EventSource.CLOSED) {
      stream = undefined;
      setTimeout(openStream, AGAIN_MS);
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
  if (!stream || Date.now() - lastEventAt < SILENCE_MS) return;
  gone();
  closeStream();
  openStream();
}, LOOK_INTERVAL_MS);
setInterval(tellAll, MINUTE_MS);

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

/** Fetches the answer from an address, and fetches it again after every change. @param url undefined fetches nothing */
export function useLive<T>(url: string | undefined): Live<T> {
  const [value, setValue] = useState<{ readonly url: string; readonly value: T }>();
  const [error, setError] = useState<Error>();
  const asked = useRef(0);
  const refresh = useCallback(() => {
    if (url === undefined) return;
    const request = ++asked.current;
    const latest = () => request === asked.current;
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

/** Fetches the answer from an address once. @returns undefined until the answer has arrived */
export function useOnce<T>(url: string): T | undefined {
  const [value, setValue] = useState<T>();
  useEffect(() => {
    call<T>(url).then(setValue, () => undefined);
  }, [url]);
  return value;
}
