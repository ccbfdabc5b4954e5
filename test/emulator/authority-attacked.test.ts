/** The emulated authority under attack: hostile bodies, certificates, names and web pages. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { writeClientCertificate } from "../../emulator/tax-authority/run-authority.js";
import { SDC_ENDPOINTS, SDC_PREFIX } from "../../emulator/tax-authority/sdc-api.js";
import type { TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import { Tokens } from "../../emulator/tax-authority/tokens.js";
import { systemRandom } from "../../src/base/random.js";
import { openAuditedTill, openAuthority } from "../support/audited-till.js";
import { authorityClient, callAuthority } from "../support/authority-client.js";
import { temporaryFolder } from "../support/folder.js";

const UID = "TESTCARD";
const MIB = 1024 * 1024;
/** 8 characters as a UID has, and a path out of the folder. */
const OUTSIDE = "../../ab";
const FOREIGN_PAGES = [
  ["Origin", "https://evil.test"],
  ["Origin", "null"],
  ["Sec-Fetch-Site", "cross-site"],
] as const;
const AUDIT = `${SDC_PREFIX}/audit`;

const STRAY_PATHS = [
  "/stick/__proto__.commands",
  "/stick/%00",
  "/stick/%",
  "/stick/..%2f..%2fregister.commands",
  "/stick/ca.key.pem",
  "/../ca.key.pem",
  "/.//ca.key.pem",
  "/admin/cards/..%2f..",
  "/admin/cards/__proto__/packages",
];

const isAlive = async (server: TaxAuthorityServer) =>
  expect((await callAuthority(server, "GET", "/")).status).toBe(200);

/** A TLS connection on which no HTTP was sent yet. */
function dial(server: TaxAuthorityServer) {
  const socket = connect({ port: server.port, host: "localhost", ca: server.caCertificate });
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(text)));
  return { socket, closed, received: () => text };
}

it("the emulated authority under attack asks for the token before it reads a body, and refuses a body of 32 MiB", async () => {
  const server = await openAuthority();
  const body = Buffer.alloc(32 * MIB, "a");
  const refused = async (headers: Record<string, string>) => {
    // It may refuse before everything is sent, and close the connection.
    const answer = callAuthority(server, "POST", AUDIT, { headers, body }).then(({ status }) => status);
    return answer.catch((error: NodeJS.ErrnoException) => error.code);
  };
  expect([401, "EPIPE", "ECONNRESET"]).toContain(await refused({}));
  const { token } = await authorityClient(server, UID);
  expect([413, 400, "EPIPE", "ECONNRESET"]).toContain(await refused({ TaxCoreAuthenticationToken: token }));
  await isAlive(server);
  const unasked = dial(server);
  unasked.socket.write(`POST ${AUDIT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n`);
  await expect.poll(unasked.received).toMatch(/^HTTP\/1\.1 401 /);
});

it.each([
  ["base64 without an end", JSON.stringify({ key: "A".repeat(7 * MIB), iv: "A", payload: "A" })],
  ["base64 with one wrong character", JSON.stringify({ key: `${"A".repeat(7 * MIB)}*`, iv: "A", payload: "A" })],
  ["brackets without an end", "[".repeat(MIB)],
  ["a proof request of spaces", `{"sum"${" ".repeat(7 * MIB)}:1}`],
  ["no text", Buffer.from([0xff, 0xfe, 0x00])],
  ["a bomb", gzipSync(Buffer.alloc(100 * MIB))],
])("the emulated authority under attack answers %s as the caller's mistake", async (name, body) => {
  const server = await openAuthority();
  const { token } = await authorityClient(server, UID);
  const headers: Record<string, string> = {
    TaxCoreAuthenticationToken: token,
    ...(name === "a bomb" ? { "Content-Encoding": "gzip" } : {}),
  };
  for (const path of [AUDIT, `${SDC_PREFIX}/audit-proof`]) {
    const { status } = await callAuthority(server, "POST", path, { headers, body });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  }
  await isAlive(server);
});

it("the emulated authority under attack closes a connection whose request does not arrive in time", async () => {
  const server = await openAuthority({ requestMs: 50 });
  for (const path of [AUDIT, "/stick", "/admin/cards"]) {
    const slow = dial(server);
    slow.socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n1`);
    await slow.closed;
  }
  await isAlive(server);
});

it("the emulated authority under attack accepts one stick at a time", async () => {
  const server = await openAuthority();
  const slow = dial(server);
  const head = `POST /stick HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${MIB}\r\nExpect: 100-continue\r\n\r\n`;
  slow.socket.write(head);
  await expect.poll(slow.received).toContain("100 Continue");
  const form = { "Content-Type": "multipart/form-data; boundary=x" };
  const upload = async () => (await callAuthority(server, "POST", "/stick", { headers: form, body: "--x--" })).status;
  await expect.poll(upload).toBe(503);
  slow.socket.destroy();
  await expect.poll(upload).not.toBe(503);
});

it("the emulated authority under attack cannot be called by web pages: every path refuses other origins and other sites", async () => {
  const server = await openAuthority();
  const paths = [
    ...SDC_ENDPOINTS.map(({ method, path }) => [method, SDC_PREFIX + path] as const),
    ...([
      ["GET", "/"],
      ["POST", "/stick"],
      ["GET", `/stick/${UID}.commands`],
    ] as const),
    ...([
      ["PUT", `/stick/${UID}.results`],
      ["GET", "/v/?vl=x"],
      ["GET", "/admin/cards"],
    ] as const),
  ];
  for (const [method, path] of paths) {
    for (const [name, value] of FOREIGN_PAGES) {
      const headers = { [name]: value };
      const { status, headers: answered } = await callAuthority(server, method, path, { headers });
      expect([method, path, status]).toEqual([method, path, 403]);
      expect(answered["access-control-allow-origin"]).toBeUndefined();
    }
  }
});

it("the emulated authority under attack keeps everything that a UID names inside its folder", async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, "a", "b", "authority");
  const out = join(folder, "c", "d", "client");
  for (const one of [dataDir, out]) mkdirSync(one, { recursive: true });
  const server = await openAuthority({ dataDir });
  await writeClientCertificate({ url: server.url, ca: server.caCertificate }, { uid: OUTSIDE }, out);
  const client = await authorityClient(server, OUTSIDE);
  expect((await client.call("PUT", "/status", "true")).status).toBe(200);
  expect(readdirSync(out)).toHaveLength(4);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  expect(files.filter((name) => name.includes(".") && !/^(a.b.authority|c.d.client)./.test(name))).toEqual([]);
});

it("the emulated authority under attack returns no file of its folder for any path", async () => {
  const server = await openAuthority({ dataDir: temporaryFolder() });
  for (const path of STRAY_PATHS) {
    const { status, text } = await callAuthority(server, "GET", path);
    expect([path, Math.floor(status / 100)]).toEqual([path, 4]);
    expect(text).not.toContain("PRIVATE KEY");
  }
});

it.each([
  ["text/html", "<form>"],
  ["multipart/form-data", "--x--"],
  ["multipart/form-data; boundary=x", "--y--"],
  ["application/json; charset=utf-16", "{}"],
  ["", ""],
])("the emulated authority under attack refuses the form of a stick with the content type '%s'", async (type, body) => {
  const server = await openAuthority();
  const headers: Record<string, string> = type === "" ? {} : { "Content-Type": type };
  expect((await callAuthority(server, "POST", "/stick", { headers, body })).status).toBe(400);
  await isAlive(server);
});

it("the emulated authority under attack escapes everything that comes from packages, certificates and reasons in its pages", async () => {
  const evil = `"><img src=x onerror=alert(1)>'`;
  const { sell, submit, authority } = await openAuditedTill({
    profile: { taxpayer: { businessName: evil, locationName: evil } },
  });
  const uid = `<a'"&b>c`;
  await authorityClient(authority, uid);
  const { request, result } = await sell();
  for (const change of [{ invoiceNumber: evil }, { invoiceCounter: evil }, { journal: evil, tin: evil }]) {
    await submit({ request, result: { ...result, ...change } });
  }
  authority.office.explain(UID, { from: 7, to: 7, reason: evil });
  const form = new FormData();
  form.append("files", new File(["x"], `${uid}.results`));
  form.append("files", new File(["x"], evil));
  const encoded = new Response(form);
  const taken = await callAuthority(authority, "POST", "/stick", {
    headers: { "Content-Type": encoded.headers.get("content-type") ?? "" },
    body: Buffer.from(await encoded.arrayBuffer()),
  });
  const pages = ["/", `/v/?vl=${encodeURIComponent(evil)}`];
  const texts = await Promise.all(pages.map(async (path) => (await callAuthority(authority, "GET", path)).text));
  for (const text of [taken.text, ...texts]) expect(text).not.toMatch(/<img|<a'"/);
});

it("the emulated authority under attack gives a card the same token while it is valid, so that many requests fill nothing", () => {
  const tokens = new Tokens({ now: () => 0 }, systemRandom);
  const [first, other] = [tokens.issue(UID), tokens.issue("OTHER001")];
  for (let i = 0; i < 1000; i++) expect(tokens.issue(UID)).toEqual(first);
  expect([first, other].map(({ token }) => tokens.uidOf(token))).toEqual([UID, "OTHER001"]);
});
