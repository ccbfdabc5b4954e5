/** A web page that the shop's browser visits must not reach the service (docs/security.md). */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { startOrExplain } from "../../src/commands/start-or-explain.js";
import { guard } from "../../src/http/guard.js";
import { closeAll, listenOnAll, urlNearby } from "../../src/http/listen.js";
import { exchange, parseAnswer } from "../support/raw.js";
import { callService, openTill, sale } from "../support/till.js";

/** Some containers have no IPv6. */
const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

/** Clients of `localhost` try either address first: another user's program must not find the other one free. */
const BOTH = [
  ["localhost", "127.0.0.1", "::1"],
  ["127.0.0.1", "127.0.0.1", "::1"],
  ["::1", "::1", "127.0.0.1"],
  ["0.0.0.0", "127.0.0.1", "::1"],
] as const;

const statusAt = async (address: string, port: string | number) =>
  (await callService(urlNearby({ host: address, port: Number(port) }), "GET", "/api/v3/attention")).status;

it.runIf(hasIPv6).each(BOTH)(
  "a service on %s answers on both addresses of localhost, on one port",
  async (host, first, second) => {
    const { url } = await openTill({ settings: { host } });
    const { port } = new URL(url);
    expect([await statusAt(first, port), await statusAt(second, port)]).toEqual([200, 200]);
  },
);

it.runIf(hasIPv6)(
  "a service does not start when another program has one of its two addresses, and names that address",
  async () => {
    const start = async ([host, first, second]: (typeof BOTH)[number]) => {
      const other = createServer().listen(0, second);
      onTestFinished(() => void other.close());
      await once(other, "listening");
      const { port } = other.address() as AddressInfo;
      const starting = startOrExplain(openTill({ settings: { host, port } }), { host, port });
      await expect(starting, host).rejects.toThrow(`port ${port} is in use at ${second}; `);
      // Its other address is free again.
      await expect(statusAt(first, port), host).rejects.toThrow("ECONNREFUSED");
    };
    // Each start waits some seconds for its port.
    await Promise.all(BOTH.map(start));
  },
);

it.runIf(hasIPv6)("a free port is one that is free on both addresses", async () => {
  const taken: unknown[] = [];
  const make = () => {
    const server = createServer();
    const { listen } = server;
    // The first two ports are taken on the second address.
    server.listen = (...args: unknown[]) => {
      const [port, host] = args;
      if (host !== "::1" || taken.length === 2) return Reflect.apply(listen, server, args);
      taken.push(port);
      server.emit("error", Object.assign(new Error("taken"), { code: "EADDRINUSE" }));
      return server;
    };
    return server;
  };
  const servers = await listenOnAll(make, { host: "0.0.0.0", port: 0 });
  expect(servers.map((server) => (server.address() as AddressInfo).address)).toEqual(["0.0.0.0", "::1"]);
  expect(taken).toHaveLength(2);
  await closeAll(servers);
});

/** @param code error of the system for the second address */
const listenWithout = (code: string, host = "localhost") => {
  let made = 0;
  return listenOnAll(
    () => {
      const server = createServer();
      if (++made % 2 === 0) {
        server.listen = () => {
          server.emit("error", Object.assign(new Error(code), { code }));
          return server;
        };
      }
      return server;
    },
    { host, port: 0 },
  );
};

it.each(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EACCES", "EPERM", "EINVAL"])(
  "a machine without IPv6 sells on the other address when binding fails with %s",
  async (code) => {
    for (const host of ["localhost", "127.0.0.1", "0.0.0.0"]) {
      const servers = await listenWithout(code, host);
      expect(servers.map(({ listening }) => listening)).toEqual([true]);
      await closeAll(servers);
    }
  },
);

it("a machine without IPv6 is not assumed when another program has the port", async () => {
  await expect(listenWithout("EADDRINUSE")).rejects.toThrow("EADDRINUSE");
});

it.each([
  // scenarios/refused/foreign-web-pages.yaml has the plain ones.
  { Origin: "null" },
  { Origin: "http://localhost.evil.test" },
  { Origin: "http://127.0.0.2:1" },
  { Origin: "https://localhost:5173" },
  { Origin: "http://localhost:5173.evil.test" },
  { Origin: "http://evil.test:5173" },
  { Origin: "http://user@localhost:5173" },
  { Origin: "http://localhost:" },
  { Origin: "file://" },
  { "Sec-Fetch-Site": "same-site" },
  { "Sec-Fetch-Site": "fenced-frame" },
  { Host: "127.0.0.1:99999" },
  { Host: "localhost.evil.test:8431" },
  { Host: "127.0.0.1.evil.test" },
] as Record<string, string>[])("guard refuses %j with 403 before it costs a PIN attempt", async (headers) => {
  const till = await openTill({ pinVerified: false });
  const answer = await till.call("POST", "/api/v3/pin", {
    headers: { "Content-Type": "text/plain", ...headers },
    body: "0000",
  });
  expect([answer.status, answer.json().code]).toEqual([403, "2805"]);
  expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  expect(till.cardState().pinTriesLeft).toBe(5);
});

it.each([
  {},
  { Host: "localhost:8431" },
  { Host: "LOCALHOST" },
  { Host: "127.0.0.1" },
  { Host: "192.168.1.20:8431" },
  { Host: "[::1]:8431" },
  { Host: "localhost:8431", Origin: "http://localhost:8431", "Sec-Fetch-Site": "same-origin" },
  { "Sec-Fetch-Site": "none" },
] as Record<string, string>[])("guard lets %j through", async (headers) => {
  const till = await openTill();
  expect((await till.call("GET", "/api/v3/status", { headers })).status).toBe(200);
});

it("guard allows links from other sites to a page, and nothing else", async () => {
  const till = await openTill();
  const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  const status = async (path: string, headers: Record<string, string>, method = "GET") =>
    (await till.call(method, path, { headers })).status;
  expect(await status("/", link)).toBe(200);
  expect(await status("/api/v3/status", link)).toBe(403);
  expect(await status("/console/receipts.csv", link)).toBe(403);
  expect(await status("/", { ...link, "Sec-Fetch-Dest": "iframe" })).toBe(403);
  expect(await status("/", { ...link, "Sec-Fetch-Mode": "no-cors" })).toBe(403);
  expect(await status("/", link, "POST")).toBe(403);
});

it("guard allows the host name that the service listens on", async () => {
  const named = guard({ allowedHosts: [], allowedOrigins: [], host: "Till.Shop" });
  const through = await new Promise((resolve) => {
    const request = { headers: { host: "till.shop:8431" }, method: "GET", originalUrl: "/api/v3/status" };
    named(request as never, { setHeader: () => undefined } as never, () => resolve(true));
  });
  expect(through).toBe(true);
});

it("guard allows the hosts and origins of the settings, with the CORS headers that a browser needs", async () => {
  const till = await openTill({ settings: { allowedHosts: ["till.shop"], allowedOrigins: ["https://pos.example"] } });
  expect((await till.call("GET", "/api/v3/status", { headers: { Host: "till.shop:8431" } })).status).toBe(200);
  const headers = { Origin: "https://pos.example", "Sec-Fetch-Site": "cross-site" };
  const answer = await till.call("GET", "/api/v3/status", { headers });
  expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([200, "https://pos.example"]);
  const preflight = await till.call("OPTIONS", "/api/v3/invoices", { headers });
  expect(preflight.status).toBe(204);
  expect(preflight.headers["access-control-allow-headers"]).toContain("RequestId");
  expect((await till.call("GET", "/api/v3/status", { headers: { Origin: "https://other.example" } })).status).toBe(403);
});

it.each([
  { "Sec-Purpose": "prefetch" },
  { "Sec-Purpose": "prefetch;prerender" },
  { "Sec-Purpose": "prefetch;anonymous-client-ip", "Sec-Fetch-Site": "none" },
  { Purpose: "prefetch" },
  { "X-Moz": "prefetch" },
  { "X-Purpose": "preview" },
  { "Sec-Purpose": "prefetch", "Sec-Fetch-Site": "same-origin" },
] as Record<string, string>[])("guard refuses a browser's prefetch: %j", async (headers) => {
  const till = await openTill();
  const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
  for (const path of ["/", "/api/v3/status", "/console/receipts.csv", "/console/events"]) {
    expect((await till.call("GET", path, { headers: { ...link, ...headers } })).status, path).toBe(403);
  }
});

const PAGES = ["http://localhost:5173", "http://127.0.0.1:3000", "http://[::1]:8080", "http://localhost"];
it.each(PAGES)(
  "a page on a web server of this machine, such as a POS in development may call the emulator's interface from %s and read the answers",
  async (origin) => {
    const till = await openTill();
    const headers = { Origin: origin, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors" };
    const preflight = await till.call("OPTIONS", "/api/v3/invoices", {
      headers: {
        ...headers,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,requestid",
        "Access-Control-Request-Private-Network": "true",
      },
    });
    expect([preflight.status, preflight.text]).toEqual([204, ""]);
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "Accept, Accept-Language, Content-Type, RequestId",
      "access-control-allow-private-network": "true",
      vary: "Origin",
    });
    expect(preflight.headers["access-control-allow-credentials"]).toBeUndefined();
    const sold = await till.sell(sale(), { ...headers, RequestId: "order-1" });
    expect([sold.status, sold.headers["access-control-allow-origin"]]).toEqual([200, origin]);
    expect(sold.headers["access-control-expose-headers"]).toBe("Idempotent-Replayed, RequestId, Retry-After, Warning");
    expect(sold.headers["access-control-allow-private-network"]).toBeUndefined();
    const refused = await till.sell(sale({ items: [] }), headers);
    expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([400, origin]);
  },
);

it("a page on a web server of this machine, such as a POS in development reaches only the interface: no console, no description, no other path", async () => {
  const till = await openTill({ settings: { pathSegment: "shop" } });
  const headers = { Origin: "http://localhost:5173", "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors" };
  const status = async (path: string, method = "GET") => (await till.call(method, path, { headers })).status;
  expect(await status("/shop/api/v3/attention")).toBe(200);
  for (const path of ["/", "/console/info", "/console/receipts", "/CONSOLE/till", "/openapi.json", "/v/?vl=x"]) {
    expect(await status(path), path).toBe(403);
  }
  for (const path of [
    "/api/v3",
    "/api/v3x/status",
    "/api/v3/../../console/info",
    "//api/v3/../../console/info",
    "/api/v3/..%2f..%2fconsole/info",
    "http://localhost/console/info",
    "/api/v3/..;/console/info",
  ]) {
    const raw = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: http://localhost:5173\r\n\r\n`;
    expect([403, 404], path).toContain(parseAnswer(await exchange(till.url, raw)).status);
  }
  expect(await status("/console/settings", "PUT")).toBe(403);
});

it("a page on a web server of this machine, such as a POS in development reaches no real card unless allowedOrigins names it", async () => {
  const [origin, other] = ["http://localhost:5173", "http://localhost:3000"];
  const till = await openTill({ settings: { card: "pcsc", allowedOrigins: [origin] }, pinVerified: false });
  const verify = async (Origin: string) => {
    const headers = { Origin, "Sec-Fetch-Site": "same-site", "Content-Type": "text/plain" };
    return (await till.call("POST", "/api/v3/pin", { headers, body: "0000" })).status;
  };
  expect(await verify(other)).toBe(403);
  expect(till.cardState().pinTriesLeft).toBe(5);
  expect(await verify(origin)).toBe(200);
  expect(till.cardState().pinTriesLeft).toBe(4);
});
