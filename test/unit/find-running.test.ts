/** Before a command sends a secret, the service proves that it has it: another program may have taken its port. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { serviceCall } from "../../src/client/call-service.js";
import { findRunning, NotRunning, requireProven } from "../../src/client/find-running.js";
import { loadConfig } from "../../src/config/load.js";
import { proofOf } from "../../src/console/token.js";
import { writeOwner } from "../../src/ledger/owner.js";
import { temporaryFolder } from "../support/folder.js";

const SECRET = "secret-of-the-running-file";
const TOKEN = "token-of-the-console";

/** A program that says it is tillseal. @param prove makes its proof from the nonce and its port */
async function program(prove: (nonce: string, port: number) => string | null, folder?: string) {
  const seen: { path: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://till");
    seen.push({ path: pathname, headers: request.headers });
    const proof = prove(searchParams.get("nonce") ?? "", port);
    response.end(JSON.stringify({ service: "tillseal", pid: process.pid, folder: folder ?? null, proof }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, seen };
}

/** The data folder of a shop whose service was killed at this address: its files are left. */
function shop(url: string): string {
  const dataDir = temporaryFolder();
  writeOwner(dataDir, { url, pid: process.pid, secret: SECRET });
  writeFileSync(join(dataDir, "tillseal.token"), `${TOKEN}\n`);
  return dataDir;
}

const LIES: readonly [what: string, prove: Parameters<typeof program>[0]][] = [
  ["no proof", () => null],
  ["the nonce", (nonce) => nonce],
  ["a proof with another secret", (nonce, port) => proofOf("", nonce, port)],
  ["a proof for another nonce", (nonce, port) => proofOf(SECRET, `${nonce}x`, port)],
  ["the proof of the real service on another port", (nonce, port) => proofOf(SECRET, nonce, port + 1)],
];

it.each(LIES)("a command sends no secret to a program on the port that has %s", async (_, prove) => {
  const impostor = await program(prove);
  const dataDir = shop(impostor.url);
  for (const flags of [{ dataDir }, { dataDir, card: "pcsc" }, { dataDir, port: impostor.port }]) {
    await expect(findRunning(loadConfig({ flags }))).rejects.toThrow(NotRunning);
  }
  // Nothing but the question for the proof.
  expect(new Set(impostor.seen.map(({ path }) => path))).toEqual(new Set(["/console/info"]));
  expect(JSON.stringify(impostor.seen)).not.toMatch(new RegExp(`${SECRET}|${TOKEN}|authorization`));
});

it("a command sends no secret to a program that names the shop's folder", async () => {
  const dataDir = shop("http://127.0.0.1:1");
  const impostor = await program(() => null, dataDir);
  const running = await findRunning(loadConfig({ flags: { port: impostor.port } }));
  expect(running.headers).toEqual({});
  expect(() => requireProven(running)).toThrow("got no secret");
});

it("a command sends the secret of the data folder, and never the token, to the service that has proven it", async () => {
  const service = await program((nonce, port) => proofOf(SECRET, nonce, port));
  const running = await findRunning(loadConfig({ flags: { dataDir: shop(service.url) } }));
  await serviceCall(running, "")("GET", "/till");
  expect(requireProven(running).secret).toBe(SECRET);
  const seen = service.seen.map(({ path, headers }) => `${path} ${headers.authorization}`);
  expect(seen).toEqual(["/console/info undefined", `/console/till Bearer ${SECRET}`]);
});

it("a command asks each time with another nonce", async () => {
  const nonces = new Set<string>();
  const service = await program((nonce) => String(nonces.add(nonce)));
  for (let i = 0; i < 3; i++) await findRunning(loadConfig({ flags: { port: service.port } }));
  expect(nonces.size).toBe(3);
});
