/** Limits of a request, of the events of the console, and of requests in a row on one connection. */

import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import { LIMITS } from "../../src/http/limits.js";
import { serveProcess } from "../support/command.js";
import { openControlled } from "../support/control.js";
import { peakMemory } from "../support/memory.js";
import { dial, everything, exchange, parseAnswer } from "../support/raw.js";
import { openServer } from "../support/server.js";
import { callService, JSON_HEADERS, openTill, sale } from "../support/till.js";

it("connections that follow the events of the console never cost a till its sale", async () => {
  const till = await openTill();
  const sockets: Socket[] = [];
  for (let i = 0; i < LIMITS.connections.value; i++) {
    const socket = await dial(till.url);
    sockets.push(socket.on("error", () => undefined).resume());
    socket.write("GET /console/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  const answers = await Promise.all(Array.from({ length: 24 }, () => till.sell().catch(String)));
  expect(answers.map((answer) => (typeof answer === "string" ? answer : answer.status))).toEqual(
    answers.map(() => 200),
  );
  expect(sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(LIMITS.streams.value);
});

it("a request has at most 16 KiB of headers", async () => {
  const { url } = await openTill();
  const answer = parseAnswer(await exchange(url, `GET /api/v3/attention HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`));
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
    400,
    { code: "2801", details: LIMITS.headerBytes.sentence },
  ]);
});

it("an invoice with 15,000 wrong labels reports the first 100 of them", async () => {
  const { world, control } = await openControlled();
  const labels = Array.from({ length: 15_000 }, (_, i) => `Q${i.toString(36)}`);
  const item = { name: "Tea", quantity: 1, unitPrice: 1, totalAmount: 1 };
  const answer = await callService(world.url, "POST", "/api/v3/invoices", {
    headers: JSON_HEADERS,
    body: sale({ items: [{ ...item, labels }] }),
  });
  const { modelState } = answer.json<{ modelState: object[] }>();
  expect([answer.status, modelState.length, modelState[99]]).toEqual([
    400,
    100,
    { property: "items[0].labels[99]", errors: ["2310"] },
  ]);
  expect(answer.text.length).toBeLessThan(50_000);
  expect((await control("GET", "/recording")).status).toBe(200);
});

const ITEM = { name: "Tea", quantity: 1, unitPrice: 1, totalAmount: 1, labels: ["A"] };
const field = (text: string) => JSON.stringify({ ...sale(), extra: 0 }).replace('"extra":0', `"extra":${text}`);

it.each([
  ["8,000 items", "2808", LIMITS.values.sentence, JSON.stringify(sale({ items: Array(8000).fill(ITEM) }))],
  [
    "40,000 options",
    "2808",
    LIMITS.values.sentence,
    field(`{${Array.from({ length: 40_000 }, (_, i) => `"o${i}":1`)}}`),
  ],
  ["lists in lists", "2808", LIMITS.values.sentence, field(`[${Array(400).fill(`[${Array(100).fill("1")}]`)}]`)],
  ["a text of 300,000 characters", "2801", LIMITS.jsonCharacters.sentence, field(JSON.stringify("x".repeat(300_000)))],
  ["a number of 300,000 digits", "2801", LIMITS.jsonCharacters.sentence, field("1".repeat(300_000))],
])("the JSON of a body is refused before it is parsed: %s", async (_, code, details, body) => {
  const till = await openTill();
  const answer = await till.call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body });
  expect([answer.status, answer.json()]).toMatchObject([400, { code, details }]);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
});

it("the JSON of a body counts commas between values, not those in texts", async () => {
  const till = await openTill();
  expect((await till.sell(sale({ items: [{ ...ITEM, name: "a,b,c,".repeat(300) }] }))).status).toBe(200);
  const commas = field(JSON.stringify(",".repeat(LIMITS.values.value)));
  expect((await till.call("POST", "/api/v3/invoices", { headers: JSON_HEADERS, body: commas })).status).toBe(200);
});

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
