/** What the server answers before any handler: too many connections, unfinished requests, invalid requests. */
import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { collectBody } from "../../src/http/collect-body.js";
import { LIMITS } from "../../src/http/limits.js";
import { HALF_CLOSE_MS } from "../../src/http/server.js";
import { dial, everything, exchange, parseAnswer } from "../support/raw.js";
import { openServer } from "../support/server.js";

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const last = (path: string) => get(path).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");

it("connections beyond the limit get 503 while all others wait for an answer", async () => {
  const waiting: ServerResponse[] = [];
  let all: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    all = resolve;
  });
  const { url } = await openServer((request, response) => {
    if (request.url === "/now") response.end("served");
    else if (waiting.push(response) === LIMITS.connections.value) all();
  });
  for (let i = 0; i < LIMITS.connections.value; i++) (await dial(url)).write(get("/later"));
  await arrived;
  const { status, headers, body } = parseAnswer(await exchange(url, get("/now")));
  expect([status, headers.get("retry-after"), JSON.parse(body)]).toEqual([503, "1", LIMITS.connections]);
  const [first] = waiting;
  if (!first) throw new Error("nothing waits");
  first.end("served");
  await once(first, "close");
  expect(parseAnswer(await exchange(url, last("/now")))).toMatchObject({ status: 200 });
});

it.each(["", get("/first")])("connections whose client ends its side get the answer, then end: %j", async (before) => {
  const { url } = await openServer((_request, response) => {
    setTimeout(() => response.end("served"), 50);
  });
  const socket = await dial(url);
  socket.end(`${before}POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`);
  expect(parseAnswer(await everything(socket))).toMatchObject({ status: 200, body: "served" });
});

it("connections whose client ends its side later, because it no longer waits, are closed at once", async () => {
  const { url, server } = await openServer((request) => void request.resume());
  const socket = await dial(url);
  const received = once(server, "request") as Promise<[IncomingMessage]>;
  socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
  const [request] = await received;
  await once(request, "end");
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + HALF_CLOSE_MS + 1);
  onTestFinished(() => void vi.restoreAllMocks());
  socket.end();
  await once(request.socket, "close");
});

it("connections whose client ends its side in the middle of a request are closed with a record", async () => {
  const { url } = await openServer(
    (request, response) => void request.resume().on("end", () => response.end("served")),
  );
  const socket = await dial(url);
  socket.end("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{}");
  expect(parseAnswer(await everything(socket))).toMatchObject({ status: 400 });
});

it("connections beyond the limit close the longest idle one, not one in the middle of its answer", async () => {
  const { url, exporting } = await openExport();
  const [idle] = await fill(url, LIMITS.connections.value - 1);
  expect(parseAnswer(await exchange(url, last("/now")))).toMatchObject({ status: 200 });
  await expect.poll(() => [idle?.closed, exporting.closed]).toEqual([true, false]);
});

it("connections beyond the limit close the one that has waited the longest if all are in the middle of an answer", async () => {
  const { url, exporting } = await openExport();
  for (const socket of await fill(url, LIMITS.connections.value - 1)) {
    socket.write(EXPORT);
    await once(socket, "data");
  }
  expect(parseAnswer(await exchange(url, last("/now")))).toMatchObject({ status: 200 });
  await expect.poll(() => exporting.closed).toBe(true);
});

const EXPORT = get("/console/export");

/** A server with a connection that has a part of an answer that no stop waits for. */
async function openExport() {
  const { url } = await openServer((request, response) => {
    if (request.url === "/now") response.end("served");
    else response.write("a part");
  });
  const exporting = await dial(url);
  exporting.write(EXPORT);
  await once(exporting, "data");
  return { url, exporting };
}

async function fill(url: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) sockets.push((await dial(url)).resume());
  return sockets;
}

it("connections that do not finish a request are closed with a record, in the headers and in the body", async () => {
  const { url, server } = await openServer(() => undefined);
  expect([server.requestTimeout, server.headersTimeout]).toEqual([LIMITS.requestMs.value, LIMITS.requestMs.value]);
  // The checks stay 5 s apart; a shorter limit only saves the test its waiting.
  server.requestTimeout = 1;
  server.headersTimeout = 1;
  const started = "POST / HTTP/1.1\r\nHost: local";
  const unfinished = [started, `${started}host\r\nContent-Length: 10\r\n\r\n`];
  for (const answer of await Promise.all(unfinished.map((text) => exchange(url, text)))) {
    const { status, body } = parseAnswer(answer);
    expect([status, JSON.parse(body)]).toEqual([400, LIMITS.requestMs]);
  }
});

it("connections are closed when their answer is not read for 30 s, and kept when it was read", async () => {
  let answered: Socket | undefined;
  const { url, server } = await openServer((request, response) => {
    answered = request.socket;
    response.end(Buffer.alloc(request.url === "/large" ? 64 * 1024 * 1024 : 10));
  });
  const reader = await dial(url);
  reader.write(get("/small"));
  await once(reader, "data");
  expect(answered?.timeout).toBeGreaterThan(LIMITS.readMs.value);
  const idle = await dial(url);
  idle.write(get("/large"));
  await once(server, "request");
  expect([answered?.timeout, answered?.writableLength !== 0]).toEqual([LIMITS.readMs.value, true]);
  await closedByItsLimit(answered);
});

it("connections are closed when a streamed answer is not read for 30 s, and not while it waits for more to send", async () => {
  let streaming: ServerResponse | undefined;
  const { url, server } = await openServer((_request, response) => {
    streaming = response;
    response.write(Buffer.alloc(64 * 1024 * 1024));
  });
  const reader = (await dial(url)).pause();
  reader.write(get("/stream"));
  await once(server, "request");
  expect([streaming?.writableNeedDrain, streaming?.socket?.timeout]).toEqual([true, LIMITS.readMs.value]);
  reader.resume();
  if (streaming) await once(streaming, "drain");
  expect(streaming?.socket?.timeout).toBe(0);
  (await dial(url)).pause().write(get("/stream"));
  await once(server, "request");
  await closedByItsLimit(streaming?.socket);
});

/** A shorter limit only saves the test its waiting. */
async function closedByItsLimit(socket: Socket | null | undefined): Promise<void> {
  if (!socket) throw new Error("no connection");
  await once(socket.setTimeout(1), "close");
}

it("a body that is too large is refused as such, and not for the memory of all bodies", async () => {
  const MIB = 1024 * 1024;
  const { url, server } = await openServer((request, response) =>
    collectBody(request, (refusal) => response.end(refusal?.message)),
  );
  const sendPart = async () => {
    const socket = await dial(url);
    const received = once(server, "request") as Promise<[IncomingMessage]>;
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${3 * MIB}\r\n\r\n`);
    const [request] = await received;
    socket.write(Buffer.alloc(2 * MIB));
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await vi.waitUntil(() => bytes > MIB);
    return socket;
  };
  const answer = everything(await sendPart());
  for (let held = 0; held < LIMITS.arrivingBytes.value; held += MIB) await sendPart();
  expect(parseAnswer(await answer).body).toBe(LIMITS.bodyBytes.sentence);
});

const fail = () => {
  throw new Error("a mistake of ours");
};

it.each<[what: string, status: number, app: RequestListener]>([
  ["a listener of its data throws", 500, (request) => request.on("data", fail)],
  ["a listener of its end throws", 500, (request) => request.resume().on("end", fail)],
  ["it is piped into something that is no stream", 500, (request) => request.pipe({} as Writable)],
  ["it has an error without a listener", 500, (request) => request.emit("error", new Error("broken"))],
  ["the handler of its body throws", 500, (request) => collectBody(request, fail)],
  ["a listener of its answer throws", 200, (_request, response) => response.on("finish", fail).end()],
  ["the answer is written after its end", 200, (_request, response) => response.end("").write("more")],
  ["its handler throws", 500, fail],
])("an error in a request's events reaches neither the process nor other requests: %s", async (_what, status, app) => {
  const { url } = await openServer((request, response) => {
    if (request.url === "/now") response.end("served");
    else app(request, response);
  });
  const socket = await dial(url);
  socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
  expect(String(await once(socket, "data"))).toMatch(`HTTP/1.1 ${status} `);
  expect(parseAnswer(await exchange(url, last("/now")))).toMatchObject({ status: 200, body: "served" });
});
