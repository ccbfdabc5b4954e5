/** A web page that the shop's browser happens to visit must not reach the service (design, "never", 4). */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { guard } from "../../src/http/guard.js";
import { closeAll, listenOnAll } from "../../src/http/listen.js";
import { callService, openTill } from "../support/till.js";

/** A container may have none. */
const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

describe("a service on localhost", () => {
  it.runIf(hasIPv6)("answers on both addresses that localhost has, on one port", async () => {
    const { url } = await openTill();
    const port = new URL(url).port;
    for (const host of ["127.0.0.1", "[::1]"]) {
      expect((await callService(`http://${host}:${port}`, "GET", "/api/v3/attention")).status).toBe(200);
    }
  });

  it.runIf(hasIPv6)("does not start beside a program that has one of them", async () => {
    const other = createServer().listen(0, "::1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await expect(openTill({ settings: { port } })).rejects.toThrow("EADDRINUSE");
    // Nothing of it is left on the other one.
    await expect(callService(`http://127.0.0.1:${port}`, "GET", "/api/v3/attention")).rejects.toThrow("ECONNREFUSED");
  });
});

describe("a machine without IPv6", () => {
  /** @param code what the system says to the second address */
  const listenWithout = (code: string) => {
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
      { host: "localhost", port: 0 },
    );
  };

  it.each(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EACCES", "EPERM", "EINVAL"])(
    "sells on the other address: %s",
    async (code) => {
      const servers = await listenWithout(code);
      expect(servers.map(({ listening }) => listening)).toEqual([true]);
      await closeAll(servers);
    },
  );

  it("is not a machine where another program has the port", async () => {
    await expect(listenWithout("EADDRINUSE")).rejects.toThrow("EADDRINUSE");
  });
});

describe("guard", () => {
  it.each([
    { Origin: "https://evil.test" },
    { Origin: "null" },
    { Origin: "http://localhost.evil.test" },
    { Origin: "http://127.0.0.1:1" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { Host: "evil.test" },
    { Host: "localhost.evil.test:8431" },
    { Host: "127.0.0.1.evil.test" },
  ] as Record<string, string>[])("refuses %j with 403 before a PIN try is burnt", async (headers) => {
    const till = await openTill({ pinVerified: false });
    const answer = await till.call("POST", "/api/v3/pin", {
      headers: { "Content-Type": "text/plain", ...headers },
      body: "0000",
    });
    expect([answer.status, answer.json().code]).toEqual([403, "2805"]);
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
  ] as Record<string, string>[])("lets %j through", async (headers) => {
    const till = await openTill();
    expect((await till.call("GET", "/api/v3/status", { headers })).status).toBe(200);
  });

  it("lets a person follow a link to a page, and nothing else from another site", async () => {
    const till = await openTill();
    const link = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
    const status = async (path: string, headers: Record<string, string>, method = "GET") =>
      (await till.call(method, path, { headers })).status;
    expect(await status("/", link)).toBe(200);
    expect(await status("/openapi", link)).toBe(200);
    expect(await status("/api/v3/status", link)).toBe(403);
    expect(await status("/console/receipts.csv", link)).toBe(403);
    expect(await status("/", { ...link, "Sec-Fetch-Dest": "iframe" })).toBe(403);
    expect(await status("/", { ...link, "Sec-Fetch-Mode": "no-cors" })).toBe(403);
    expect(await status("/", link, "POST")).toBe(403);
  });

  it("lets the name through that the service was told to listen on", async () => {
    const named = guard({ allowedHosts: [], allowedOrigins: [], host: "Till.Shop" });
    const through = await new Promise((resolve) => {
      const request = { headers: { host: "till.shop:8431" }, method: "GET", originalUrl: "/api/v3/status" };
      named(request as never, {} as never, () => resolve(true));
    });
    expect(through).toBe(true);
  });

  it("lets the hosts and origins of the settings through, with what a browser needs", async () => {
    const till = await openTill({ settings: { allowedHosts: ["till.shop"], allowedOrigins: ["https://pos.example"] } });
    expect((await till.call("GET", "/api/v3/status", { headers: { Host: "till.shop:8431" } })).status).toBe(200);
    const headers = { Origin: "https://pos.example", "Sec-Fetch-Site": "cross-site" };
    const answer = await till.call("GET", "/api/v3/status", { headers });
    expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([200, "https://pos.example"]);
    const preflight = await till.call("OPTIONS", "/api/v3/invoices", { headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers["access-control-allow-headers"]).toContain("RequestId");
    expect((await till.call("GET", "/api/v3/status", { headers: { Origin: "https://other.example" } })).status).toBe(
      403,
    );
  });

  it("gives no page a way to read an answer where none is allowed", async () => {
    const till = await openTill();
    const answer = await till.call("GET", "/api/v3/status");
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(answer.headers["x-powered-by"]).toBeUndefined();
  });
});
