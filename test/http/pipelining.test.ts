/** Many requests of one connection, whose answers the client does not read (docs/security.md). */
import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import { LIMITS } from "../../src/http/limits.js";
import { serveProcess } from "../support/command.js";
import { peakMemory } from "../support/memory.js";
import { dial, everything } from "../support/raw.js";
import { openServer } from "../support/server.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const BYTES = 61_000;
const manyOf = (request: string) => request.repeat(Math.floor(BYTES / request.length));

it("61 kB of requests on each of 20 connections that read nothing cost little memory, and a till sells meanwhile", async () => {
  const { url, process: service } = await serveProcess(["--control-port", "0"]);
  await callService(url, "POST", "/api/v3/pin", { body: "1234" });
  const sell = () => callService(url, "POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: sale() });
  // The first sale and the first document load code, and take most of the memory.
  await sell();
  await callService(url, "GET", "/openapi.json");
  const before = peakMemory(service.pid);
  const sockets = await Promise.all(Array.from({ length: 20 }, () => dial(url)));
  for (const socket of sockets) socket.pause().write(manyOf(get("/openapi.json")));
  expect((await sell()).status).toBe(200);
  for (const socket of sockets) socket.resume();
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, "close").catch(() => undefined)));
  // Garbage takes 30 to 140 MB on a busy machine. Without the limits the connections stay, and 320 MB are not the end.
  expect(peakMemory(service.pid) - before).toBeLessThan(250);
});

it("the requests of one connection are worked on one after the other, and answered in order", async () => {
  const log: string[] = [];
  const { url } = await openServer(({ url: path }, response) => {
    log.push(`${path} begins`);
    setImmediate(() => {
      log.push(`${path} ends`);
      response.end(`${path}\n`);
    });
  });
  const socket = await dial(url);
  const paths = Array.from({ length: LIMITS.waitingRequests.value }, (_, i) => `/${i}`);
  const last = "GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  socket.write(paths.map(get).join("") + last);
  const answers = await everything(socket);
  const all = [...paths, "/last"];
  expect(answers.match(/(?<=\r\n\r\n)\/\w+(?=\n)/gu)).toEqual(all);
  expect(log).toEqual(all.flatMap((path) => [`${path} begins`, `${path} ends`]));
});

it("the requests of one connection keep their bodies apart", async () => {
  const { url } = await openServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => setImmediate(() => response.end(`[${Buffer.concat(pieces).length}]`)));
  });
  const socket = await dial(url);
  const post = (length: number, end = "") =>
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n${end}\r\n${"x".repeat(length)}`;
  socket.write(post(300_000) + post(200_000) + post(7, "Connection: close\r\n"));
  expect((await everything(socket)).match(/\[\d+\]/g)).toEqual(["[300000]", "[200000]", "[7]"]);
});

it("the requests of one connection close it when more than 30 wait", async () => {
  let begun = 0;
  const { url } = await openServer(() => {
    begun++;
  });
  const socket = await dial(url);
  socket.write(get("/").repeat(LIMITS.waitingRequests.value + 2));
  expect(await everything(socket)).toBe("");
  expect(begun).toBe(1);
});

it("the requests of one connection close the connection that has waited the longest when unread answers have more than 64 MiB", async () => {
  const large = Buffer.alloc(LIMITS.unsentBytes.value * 0.6);
  const { url } = await openServer((_request, response) => void response.end(large));
  const slow: Socket[] = [];
  for (let i = 0; i < 2; i++) {
    const socket = (await dial(url)).pause();
    slow.push(socket);
    socket.write(get("/"));
    // The server has answered once the first bytes are there.
    await once(socket, "readable");
  }
  const [first, second] = slow.map((socket) => {
    let bytes = 0;
    socket.on("data", (piece) => {
      bytes += piece.length;
      if (bytes > large.length) socket.end();
    });
    return once(socket, "close").then(
      () => bytes,
      () => bytes,
    );
  });
  expect(await first).toBeLessThan(large.length);
  expect(await second).toBeGreaterThan(large.length);
});
it("the emulated authority works on one request of a connection at a time, too", async () => {
  const authority = await TaxAuthorityServer.open();
  onTestFinished(() => authority.close());
  /** Number of answers to so many requests on one connection. */
  const answersTo = async (requests: number) => {
    const ca = authority.caCertificate;
    const socket = connect({ port: authority.port, host: "127.0.0.1", ca, servername: "localhost" });
    await once(socket, "secureConnect");
    socket.write(get("/nowhere").repeat(requests));
    return (await everything(socket)).split("HTTP/1.1 404").length - 1;
  };
  expect(await answersTo(LIMITS.waitingRequests.value)).toBe(LIMITS.waitingRequests.value);
  expect(await answersTo(300)).toBeLessThanOrEqual(LIMITS.waitingRequests.value + 1);
});
