/** The proxy passes on complete requests and answers and nothing else, whatever is sent to it. */
import type { IncomingMessage, RequestListener } from "node:http";
import { expect, it } from "vitest";
import { endToEnd } from "../../harness/proxy/target.js";
import { listen } from "../../src/http/listen.js";
import { proxied, target } from "../support/proxied.js";
import { exchange } from "../support/raw.js";
import { callService } from "../support/till.js";

const raw = (url: string, head: string, ...lines: string[]) =>
  exchange(url, [head, ...lines, "Connection: close", "", ""].join("\r\n"));

it("the proxy passes on a large body unchanged, also in chunks, in both directions", async () => {
  const { url, arrived } = await target();
  const proxy = await proxied(url);
  const body = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => (i * 7) % 251));
  const whole = await fetch(`${proxy.url}/large`, { method: "POST", body });
  expect(Buffer.from(await whole.arrayBuffer()).equals(body)).toBe(true);
  const inPieces = new ReadableStream({
    start(controller) {
      for (let at = 0; at < body.length; at += 100_000) controller.enqueue(body.subarray(at, at + 100_000));
      controller.close();
    },
  });
  const chunked = await fetch(`${proxy.url}/chunked`, {
    method: "POST",
    body: inPieces,
    duplex: "half",
  } as RequestInit);
  expect(Buffer.from(await chunked.arrayBuffer()).equals(body)).toBe(true);
  expect(arrived.map(({ request }) => request.headers["content-length"])).toEqual(["1500000", "1500000"]);
});

it("the proxy refuses a body beyond 4 MiB from POS or target, and keeps running", async () => {
  const { url, arrived } = await target((request, response) => {
    if (request.url === "/endless") {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more);
      more();
    } else response.end("ok");
  });
  const proxy = await proxied(url);
  const huge = await fetch(`${proxy.url}/api/v3/invoices`, { method: "POST", body: Buffer.alloc(5 * 1024 * 1024) });
  expect([huge.status, ((await huge.json()) as { code: string }).code, arrived.length]).toEqual([413, "2801", 0]);
  const endless = await fetch(`${proxy.url}/endless`);
  expect([endless.status, await endless.text()]).toEqual([502, expect.stringContaining("larger than 4194304 bytes")]);
  expect(await (await fetch(`${proxy.url}/`)).text()).toBe("ok");
});

it("the proxy passes on end-to-end headers in both directions, and no headers of a single connection", async () => {
  const { url, arrived } = await target((_request, response) => {
    response.setHeader("Set-Cookie", ["a=1", "b=2"]);
    response.setHeader("X-Own", "of the target");
    response.setHeader("Keep-Alive", "timeout=1");
    response.setHeader("Connection", "close, X-Hop");
    response.setHeader("X-Hop", "1");
    response.setHeader("Tillseal-Proxy", "forged");
    response.end("ok");
  });
  const proxy = await proxied(url);
  const answer = await raw(
    proxy.url,
    "GET /api/v3/status?a=%20b HTTP/1.1",
    "Host: localhost",
    "RequestId: 1",
    "X-Twice: a",
    "X-Twice: b",
    "Connection: X-Secret",
    "X-Secret: 1",
    "Proxy-Authorization: Basic eA==",
    "TE: trailers",
    "Upgrade: h2c",
    "Accept-Encoding: gzip",
    "Origin-Like: x",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer.match(/^set-cookie: .*$/gim)).toEqual(["set-cookie: a=1", "set-cookie: b=2"]);
  expect(answer).toContain("x-own: of the target");
  expect(answer).not.toMatch(/x-hop|timeout=1|forged|content-security-policy/i);
  const { headers, url: path, rawHeaders } = arrived[0]?.request ?? ({} as IncomingMessage);
  expect(path).toBe("/api/v3/status?a=%20b");
  expect(headers).toMatchObject({
    requestid: "1",
    "x-twice": "a, b",
    "accept-encoding": "identity",
    host: url.slice(7),
  });
  expect(rawHeaders.join("\n")).not.toMatch(/x-secret|proxy-auth|trailers|h2c/i);
});

it.each([
  ["another server", (other: string) => `GET ${other}/api/v3/status HTTP/1.1`],
  ["a path that climbs", () => "GET /api/../../admin HTTP/1.1"],
  ["a path with escaped dots", () => "GET /api/%2e%2E/admin HTTP/1.1"],
  ["a path with an escaped slash", () => "GET /api%2f..%2fadmin HTTP/1.1"],
  ["a path with backslashes", () => "GET /api\\..\\admin HTTP/1.1"],
  ["a tunnel", (other: string) => `CONNECT ${other.slice(7)} HTTP/1.1`],
  ["an asterisk", () => "OPTIONS * HTTP/1.1"],
])("the proxy does not pass on %s", async (_, head) => {
  const inside = await target();
  const other = await target();
  const proxy = await proxied(`${inside.url}/token`);
  expect(await raw(proxy.url, head(other.url), "Host: localhost")).toMatch(/^HTTP\/1\.1 400 /);
  expect([inside.arrived, other.arrived]).toEqual([[], []]);
});

it.each([
  ["two lengths", ["Content-Length: 5", "Content-Length: 6"]],
  ["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
  ["an unknown transfer", ["Transfer-Encoding: xchunked"]],
  ["a broken header", ["X: a\nGET /admin HTTP/1.1"]],
  ["headers without end", [`X: ${"a".repeat(20_000)}`]],
])("the proxy refuses a request with %s, which another server could read differently", async (_, lines) => {
  const { url, arrived } = await target();
  const proxy = await proxied(url);
  expect(await raw(proxy.url, "POST / HTTP/1.1", "Host: localhost", ...lines)).toMatch(/^HTTP\/1\.1 (400|431) /);
  expect(arrived).toEqual([]);
});

it("the proxy refuses web pages and foreign host names, so that no page reaches a card through it", async () => {
  const { url, arrived } = await target();
  const proxy = await proxied(url, { allowedOrigins: ["http://pos.test"] });
  const status = async (headers: Record<string, string>) =>
    (await callService(proxy.url, "POST", "/api/v3/pin", { headers, body: "1234" })).status;
  expect(await status({ Origin: "https://evil.test" })).toBe(403);
  expect(await status({ Host: "evil.test" })).toBe(403);
  expect(await status({ "Sec-Fetch-Site": "cross-site" })).toBe(403);
  expect(arrived).toEqual([]);
  expect(await status({ Origin: "http://pos.test", "Sec-Fetch-Site": "cross-site" })).toBe(200);
  expect(arrived[0]?.request.headers).not.toHaveProperty("origin");
  expect(arrived[0]?.request.headers).not.toHaveProperty("sec-fetch-site");
});

it("the proxy reports that the target is down without its token or path, and works again when it is back", async () => {
  const { url, server } = await target();
  const proxy = await proxied(`${url}/a-secret-token`);
  server.closeAllConnections();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  const down = await callService(proxy.url, "GET", "/api/v3/status");
  expect([down.status, down.json().code, down.headers["tillseal-proxy"]]).toEqual([502, "1999", "no answer"]);
  expect(down.text).toContain("ECONNREFUSED");
  expect(down.text).not.toMatch(/token|status/);
  await listen(server, { port: Number(new URL(url).port), host: "127.0.0.1" });
  expect((await callService(proxy.url, "GET", "/api/v3/status")).status).toBe(200);
});

it.each([
  ["breaks off", (response: Parameters<RequestListener>[1]) => void response.socket?.destroy()],
  [
    "breaks off in its body",
    (response: Parameters<RequestListener>[1]) => {
      response.writeHead(200, { "Content-Length": "10" }).write("half", () => response.socket?.destroy());
    },
  ],
  [
    "changes the protocol",
    (response: Parameters<RequestListener>[1]) => {
      response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
    },
  ],
  ["is not HTTP", (response: Parameters<RequestListener>[1]) => void response.socket?.end("220 mail.example\r\n")],
])("the proxy answers 502 when the target %s", async (_, answer) => {
  const { url } = await target((_request, response) => answer(response));
  const proxy = await proxied(url);
  expect((await callService(proxy.url, "GET", "/api/v3/status")).status).toBe(502);
  expect((await callService(proxy.url, "HEAD", "/api/v3/status")).status).toBe(502);
});

it("endToEnd drops the headers that Connection names, in any case, and keeps all others in order", () => {
  const raw = ["A", "1", "Connection", "b, close", "B", "2", "a", "3", "TRAILER", "x", "D", "4"];
  expect(endToEnd(raw, ["d"])).toEqual({ a: ["1", "3"] });
});
