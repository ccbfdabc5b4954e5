/** The emulated authority's API as a foreign service sees it. */

import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { type TaxAuthorityOptions, TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import { httpCall } from "../../harness/scenario/http-call.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { authorityClient, callAuthority } from "../support/authority-client.js";
import { temporaryFolder } from "../support/folder.js";

const UID = "TESTCARD";

async function open(options: TaxAuthorityOptions = {}) {
  const server = await TaxAuthorityServer.open(options);
  onTestFinished(() => server.close());
  return server;
}

it("the emulated authority gives a token for 8 hours only to a client with its certificate", async () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const server = await open({ clock: { now: () => now } });
  const { certificate: cert, key } = server.tls.client({ uid: UID });
  const answer = await callAuthority(server, "GET", "/api/v3/sdc/token", { cert, key });
  expect(answer.json()).toEqual({ token: expect.stringMatching(/^.{43}$/), expiresAt: "2026-01-01T08:00:00.000Z" });
  expect((await callAuthority(server, "GET", "/api/v3/sdc/token")).status).toBe(403);
  const other = (await open({ dataDir: temporaryFolder() })).tls.client({ uid: UID });
  const foreign = { cert: other.certificate, key: other.key };
  expect((await callAuthority(server, "GET", "/api/v3/sdc/token", foreign)).status).toBe(403);
});

it("the emulated authority has a certificate for localhost, its two addresses and the configured names", async () => {
  const server = await open({ hostNames: ["authority", "192.0.2.7"] });
  expect(new X509Certificate(server.caCertificate).ca).toBe(true);
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    const { port, caCertificate } = server;
    const answer = await callAuthority(
      { url: `https://${host}:${port}`, caCertificate },
      "GET",
      "/api/v3/sdc/commands",
    );
    expect(answer.status).toBe(401);
  }
});

it("the emulated authority accepts a token until it expires, then asks for another one", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const server = await open({ clock: { now: () => now } });
  const client = await authorityClient(server, UID);
  now += 8 * 3_600_000 - 1;
  expect((await client.call("GET", "/commands")).status).toBe(200);
  now += 1;
  expect((await client.call("GET", "/commands")).status).toBe(401);
  const fresh = await authorityClient(server, UID);
  server.office.expireTokens();
  expect((await fresh.call("GET", "/commands")).status).toBe(401);
});

it("the emulated authority delivers each command to its card until it is reported", async () => {
  const server = await open({ environment: null });
  const client = await authorityClient(server, UID);
  const commandId = server.office.command(UID, 2, "https://tax-authority.test/v/?vl=");
  server.office.command("OTHER001", 2, "https://elsewhere.test/v/?vl=");
  const expected = [{ commandId, type: 2, payload: "https://tax-authority.test/v/?vl=", uid: UID }];
  expect((await client.call("PUT", "/status", "true")).json()).toEqual(expected);
  expect((await client.call("GET", "/commands")).json()).toEqual(expected);
  expect((await client.call("PUT", `/commands/${commandId}`, "true")).status).toBe(200);
  expect((await client.call("GET", "/commands")).json()).toEqual([]);
  expect((await client.call("PUT", `/commands/${commandId}`, "true")).status).toBe(200);
  expect((await client.call("PUT", "/commands/unknown", "true")).status).toBe(404);
});

it("the emulated authority configures a card on its first contact", async () => {
  const environment = loadNamedEnvironment("cyrillic");
  const server = await open({ environment });
  const client = await authorityClient(server, UID);
  await authorityClient(server, UID);
  const commands = (await client.call("GET", "/commands")).json<{ type: number; payload: string }[]>();
  expect(commands.map(({ type }) => type)).toEqual([7, 0, 1, 2]);
  const [configuration, rates, time, root] = commands.map(({ payload }) => payload);
  const { parameters } = environment ?? {};
  const own = { taxAuthorityApi: server.url, root: `${server.url}/v/?vl=` };
  expect(JSON.parse(configuration ?? "")).toEqual({ ...parameters, endpoints: { ...parameters?.endpoints, ...own } });
  expect(JSON.parse(rates ?? "")).toMatchObject([
    { groupId: 5, taxCategories: [{ name: "П-ПДВ", orderId: 1, taxRates: [{ label: "Е", rate: 10 }] }, {}, {}, {}] },
    { groupId: 1, validFrom: "2015-01-01T00:00:00.000Z" },
  ]);
  expect([time, root]).toEqual(["ntp://time.tax-authority.test/", own.root]);
});

it("the emulated authority answers the tax rates to a client without a certificate", async () => {
  const server = await open({ environment: loadNamedEnvironment("sandbox") });
  const answer = await httpCall(
    server.url,
    { method: "GET", path: "/api/v3/tax-rates", headers: {} },
    new Agent({ ca: server.caCertificate }),
  );
  expect(JSON.parse(answer?.text ?? "")).toMatchObject({
    currentTaxRates: { groupId: 5 },
    allTaxRates: [{ groupId: 5 }, { groupId: 2 }, { groupId: 1 }],
  });
});

it("the emulated authority sends the recording of a real authority byte for byte", async () => {
  const server = await open({ environment: loadNamedEnvironment("sandbox") });
  const client = await authorityClient(server, UID);
  const commands = (await client.call("GET", "/commands")).json<{ type: number; payload: string }[]>();
  const recorded = (name: string) => readFileSync(`fixtures/environments/sandbox/${name}`, "utf8");
  const [configuration, rates, ...others] = commands.filter(({ type }) => type === 7 || type === 0);
  expect([configuration?.payload, others]).toEqual([recorded("configuration.json"), []]);
  const groups = JSON.parse(rates?.payload ?? "") as { groupId: number }[];
  expect(groups.map(({ groupId }) => groupId)).toEqual([5, 2, 1]);
  expect(recorded("tax-rates.json")).toContain(rates?.payload);
});

it("the emulated authority names the end of a token as its fault says, or not at all", async () => {
  const server = await open();
  const { certificate: cert, key } = server.tls.client({ uid: UID });
  const names: string[] = [];
  for (const tokenExpiry of ["expiresAt", "expireAt", "none"] as const) {
    server.office.setFaults({ tokenExpiry });
    const answer = await callAuthority(server, "GET", "/api/v3/sdc/token", { cert, key });
    names.push(Object.keys(answer.json()).join());
  }
  expect(names).toEqual(["token,expiresAt", "token,expireAt", "token"]);
});

it("the emulated authority asks for the certificate only at the token, by renegotiation, if its fault says so", async () => {
  const server = await open();
  server.office.setFaults({ renegotiation: true });
  const { certificate: cert, key } = server.tls.client({ uid: UID });
  const first = await promisify(execFile)("sh", [
    "-c",
    `openssl s_client -connect localhost:${server.port} </dev/null 2>&1; true`,
  ]);
  expect(first.stdout).toMatch(/No client certificate CA names sent[\s\S]*Protocol *: TLSv1\.2/);
  const answer = await callAuthority(server, "GET", "/api/v3/sdc/token", { cert, key });
  expect(answer.json()).toMatchObject({ token: expect.any(String) });
  expect((await callAuthority(server, "GET", "/api/v3/sdc/token")).status).toBe(403);
});
