/** Connections to the authority through an HTTP proxy. */
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { expect, it, vi } from "vitest";
import { doubleAndClient, failureOf } from "../support/double-client.js";
import { freePort } from "../support/free-port.js";
import { testProxy } from "../support/proxy.js";

it("a proxy is asked for one tunnel to the authority by name, and certificates are still checked", async () => {
  const { double, client } = await doubleAndClient();
  const proxy = await testProxy();
  const authority = client({ proxy: proxy.url });
  expect(await authority.commands()).toEqual([]);
  expect(await authority.announce(true)).toEqual([]);
  expect(proxy.asked).toEqual([`localhost:${double.port}`]);
  // The proxy leads this name to the double too.
  const other = client({ proxy: proxy.url, address: `https://elsewhere.example:${double.port}` });
  expect(await failureOf(other.commands())).toMatch(/^not-trusted: .*is for another name/);
  expect(proxy.asked.at(-1)).toBe(`elsewhere.example:${double.port}`);
});

it("a proxy gets an IPv6 address in brackets", async () => {
  const { client } = await doubleAndClient();
  const proxy = await testProxy((socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  await failureOf(client({ proxy: proxy.url, address: "https://[::1]:8434" }).commands());
  expect(proxy.asked).toEqual(["[::1]:8434"]);
});

it("a proxy that refuses is reported with its answer", async () => {
  const { double, client } = await doubleAndClient();
  const proxy = await testProxy((socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
  expect(await failureOf(client({ proxy: proxy.url }).commands())).toBe(
    `unreachable: GET ${double.url}/api/v3/sdc/token: the proxy ${proxy.url.host} refused a tunnel to localhost:${double.port} with HTTP 407; check the setting authorityProxy`,
  );
});

it("a proxy that reaches nothing is reported", async () => {
  const { client } = await doubleAndClient();
  const proxy = await testProxy();
  const address = `https://localhost:${await freePort()}`;
  const failure = await failureOf(client({ proxy: proxy.url, address }).commands());
  expect(failure).toMatch(/^unreachable: .*HTTP 502; check the setting authorityProxy$/);
});

it("a proxy that is missing is reported", async () => {
  const { client } = await doubleAndClient();
  const proxy = new URL(`http://127.0.0.1:${await freePort()}`);
  const failure = await failureOf(client({ proxy }).commands());
  expect(failure).toContain(`the proxy ${proxy.host} cannot be used: ECONNREFUSED; check the setting authorityProxy`);
});

it.each([
  ["says nothing", () => undefined],
  ["speaks before the tunnel is used", (socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nWelcome")],
  ["hangs up", (socket) => socket.destroy()],
  ["speaks another protocol", (socket) => socket.end("220 ready\r\n")],
] as [string, Parameters<typeof testProxy>[0]][])("a proxy that %s fails only the request", async (_case, give) => {
  const { client } = await doubleAndClient();
  const proxy = await testProxy(give);
  const authority = client({ proxy: proxy.url, timeLimitMs: 500 });
  expect(await failureOf(authority.commands())).toMatch(/^unreachable: /);
  expect(await failureOf(authority.commands())).toMatch(/^unreachable: /);
});

it("a proxy is not used after the client is closed", async () => {
  const { client } = await doubleAndClient();
  const held: Duplex[] = [];
  const proxy = await testProxy((socket) => void held.push(socket));
  const authority = client({ proxy: proxy.url });
  const failure = failureOf(authority.commands());
  const socket = await vi.waitUntil(() => held[0]);
  const hungUp = once(socket, "close");
  authority.close();
  expect(await failure).toMatch(/the service is stopping$/);
  await hungUp;
});
