/** Faults, admin interface, pages and sticks of the emulated authority. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { CardAtAuthority } from "../../emulator/card/card-at-authority.js";
import { ADMIN_ENDPOINTS, ADMIN_PREFIX } from "../../emulator/tax-authority/admin-endpoints.js";
import type { TaxAuthorityServer } from "../../emulator/tax-authority/tax-authority-server.js";
import {
  type AuthorityCommands,
  openAuditedTill,
  openAuthority,
  packaged,
  startAudit,
} from "../support/audited-till.js";
import { authorityClient, callAuthority } from "../support/authority-client.js";
import { makeCard } from "../support/emulated-card.js";
import { environmentFile } from "../support/invoices.js";

const UID = "TESTCARD";
const types = (commands: AuthorityCommands) => commands.map(({ type }) => type);

async function admin(server: TaxAuthorityServer, method: string, path: string, body?: unknown) {
  const answer = await callAuthority(server, method, `/admin${path}`, body === undefined ? {} : { body });
  return { status: answer.status, json: answer.text === "" ? undefined : answer.json<Record<string, never>>() };
}

it("a fault of the emulated authority closes connections without an answer until the admin interface removes it", async () => {
  const server = await openAuthority();
  const client = await authorityClient(server, UID);
  expect((await admin(server, "PATCH", "/faults", { down: true })).json).toMatchObject({ down: true, delay: "0s" });
  await expect(client.call("GET", "/commands")).rejects.toThrow();
  expect((await callAuthority(server, "GET", "/")).status).toBe(200);
  expect((await admin(server, "DELETE", "/faults")).status).toBe(204);
  expect((await client.call("GET", "/commands")).status).toBe(200);
});

it("a fault of the emulated authority answers late, and not at all after the server was closed", async () => {
  const server = await openAuthority();
  const client = await authorityClient(server, UID);
  server.office.setFaults({ delay: "20ms" });
  expect((await client.call("GET", "/commands")).status).toBe(200);
  server.office.setFaults({ delay: "10m" });
  const late = client.call("GET", "/commands").catch((error: Error) => error);
  await expect.poll(() => server.close()).toBeUndefined();
  expect(await late).toBeInstanceOf(Error);
});

it("the admin interface of the emulated authority lets every token expire at once", async () => {
  const server = await openAuthority();
  const client = await authorityClient(server, UID);
  expect((await admin(server, "DELETE", "/tokens")).status).toBe(204);
  expect((await client.call("GET", "/commands")).status).toBe(401);
});

it("a fault of the emulated authority delivers commands twice, or in reverse order", async () => {
  const server = await openAuthority();
  const client = await authorityClient(server, UID);
  const sent = async () => types((await client.call("GET", "/commands")).json());
  server.office.setFaults({ duplicateCommands: true });
  expect(await sent()).toEqual([7, 7, 0, 0, 1, 1, 2, 2]);
  server.office.setFaults({ duplicateCommands: false, reversedCommands: true });
  expect(await sent()).toEqual([2, 1, 0, 7]);
});

it.each([0, 1, 2, 3, 5, 6])(
  "a fault of the emulated authority sets the status of packages to %i until they are verified again",
  async (packageStatus) => {
    const { sell, submit, authority } = await openAuditedTill();
    authority.office.setFaults({ packageStatus });
    expect(await submit(await sell())).toBe(packageStatus);
    authority.office.clearFaults();
    expect((await admin(authority, "POST", `/cards/${UID}/verify`)).status).toBe(200);
    expect(authority.office.packages(UID)).toMatchObject([{ status: 4 }]);
  },
);

it("the admin interface of the emulated authority registers a card from its certificate and configures it", async () => {
  const server = await openAuthority();
  const { certificate } = makeCard({ taxpayer: { businessName: "Кафана <1>" } });
  const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificate).toString("base64")}\n-----END CERTIFICATE-----\n`;
  const start = { counter: 3, sum: "12.5" };
  const { status, json } = await admin(server, "POST", "/cards", { certificate: pem, start });
  expect([status, json]).toMatchObject([201, { uid: UID, businessName: "Кафана <1>", start, packages: 0, gaps: [] }]);
  expect(types((json?.commands ?? []) as unknown as AuthorityCommands)).toEqual([7, 0, 1, 2]);
  expect((await admin(server, "POST", "/cards", { certificate: "x" })).status).toBe(400);
  expect((await admin(server, "GET", "/cards/NOTTHERE")).status).toBe(404);
  expect((await admin(server, "GET", "/cards")).json).toMatchObject([{ uid: UID }]);
});

it("the admin interface of the emulated authority sends every card the changes of the environment, and nothing else", async () => {
  const server = await openAuthority();
  const client = await authorityClient(server, UID);
  for (const { commandId } of server.office.commands(UID)) await client.call("PUT", `/commands/${commandId}`, "true");
  const sent = parse(readFileSync(environmentFile("specification"), "utf8")) as { taxRates: { validFrom: string }[] };
  const [group] = sent.taxRates;
  const taxRates = [group, { ...group, groupId: 2, validFrom: "2026-01-01T00:00:00.000Z" }];
  expect((await admin(server, "PUT", "/environment", { ...sent, taxRates })).status).toBe(204);
  expect(types((await client.call("GET", "/commands")).json())).toEqual([0]);
  expect((await admin(server, "PUT", "/environment", { taxRates })).status).toBe(400);
});

it("the admin interface of the emulated authority queues commands and directives that the card understands", async () => {
  const { till, authority, client } = await openAuditedTill({}, { environment: null });
  expect((await admin(authority, "POST", `/cards/${UID}/commands`, { type: 42, payload: "x" })).status).toBe(201);
  expect((await admin(authority, "POST", `/cards/${UID}/directive`, { action: "disable" })).status).toBe(201);
  const commands = (await client.call("GET", "/commands")).json<AuthorityCommands>();
  expect(types(commands)).toEqual([42, 8]);
  // The report of a command with rates is accepted whatever the command held.
  for (const payload of ["x", "{}", "[null]"]) authority.office.command(UID, 0, payload);
  for (const { commandId } of authority.office.commands(UID)) {
    expect((await client.call("PUT", `/commands/${commandId}`, "true")).status).toBe(200);
  }
  await new CardAtAuthority(till.card).directive(Buffer.from(commands[1]?.payload ?? "", "base64"));
  expect(till.cardState().disabled).toBe(true);
});

it("the admin interface of the emulated authority revokes a certificate, explains counters and shows packages", async () => {
  const { sell, submit, authority } = await openAuditedTill();
  await sell();
  expect((await admin(authority, "PATCH", `/cards/${UID}`, { revoked: true })).json).toMatchObject({
    revokedAt: expect.any(String),
  });
  expect(await submit(await sell())).toBe(6);
  const explained = { from: 1, to: 1, reason: "lost" };
  expect((await admin(authority, "POST", `/cards/${UID}/explained`, explained)).json).toMatchObject({
    explained: [explained],
    gaps: [],
  });
  expect((await admin(authority, "PATCH", `/cards/${UID}`, { revoked: false })).json).toMatchObject({
    revokedAt: null,
  });
  expect((await admin(authority, "GET", `/cards/${UID}/packages`)).json).toMatchObject([{ counter: 2, status: 6 }]);
});

it("the admin interface of the emulated authority refuses web pages of other sites, and answers unknown paths with 404 and methods with 405", async () => {
  const server = await openAuthority();
  const headers = { Origin: "https://evil.test", "Content-Type": "text/plain" };
  for (const { method, path } of ADMIN_ENDPOINTS) {
    const answer = await callAuthority(server, method, (ADMIN_PREFIX + path).replace(":uid", UID), {
      headers,
      body: "{}",
    });
    expect(answer.status).toBe(403);
  }
  const own = { Origin: server.url };
  expect((await callAuthority(server, "DELETE", "/admin/faults", { headers: own })).status).toBe(204);
  const rebound = { headers: { Host: "evil.test" }, servername: "localhost" };
  expect((await callAuthority(server, "GET", "/", rebound)).status).toBe(403);
  expect((await callAuthority(server, "POST", "/admin/faults")).status).toBe(405);
  expect((await callAuthority(server, "GET", "/nothing")).status).toBe(404);
});

it("the start page of the emulated authority offers each card's commands for a stick, and loads nothing else", async () => {
  const { authority } = await openAuditedTill();
  const { headers, text } = await callAuthority(authority, "GET", "/");
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
  const [, link = ""] = /href="(\/stick\/[^"]+)"/.exec(text) ?? [];
  expect(types((await callAuthority(authority, "GET", link)).json<AuthorityCommands>())).toEqual([7, 0, 1, 2]);
  expect((await callAuthority(authority, "GET", "/stick/NOTTHERE.commands")).status).toBe(404);
});

it("the pages of the emulated authority show the verdict of a receipt, and its text once its package is verified", async () => {
  const { sell, submit, authority } = await openAuditedTill();
  const sold = await sell();
  const path = String(sold.result.verificationUrl).replace(/^https?:\/\/[^/]+/, "");
  const verdict = async () =>
    (await callAuthority(authority, "GET", path, { headers: { Accept: "application/json" } })).json();
  expect(await verdict()).toMatchObject({
    isValid: true,
    journal: null,
    invoiceRequest: { taxId: "100000001", cashier: null, payments: [] },
  });
  await submit(sold);
  expect(await verdict()).toMatchObject({
    journal: sold.result.journal,
    invoiceRequest: { cashier: "Cashier 1", payments: [{ amount: 100, paymentType: 1 }] },
  });
});

it("the pages of the emulated authority accept a stick as a form, with files in any order, and return its commands", async () => {
  const { sell, till, authority } = await openAuditedTill();
  const { result, request } = await sell();
  const { block } = await startAudit(till);
  const form = new FormData();
  const add = (name: string, content: string | Buffer) => form.append("files", new File([content], `${UID}/${name}`));
  add(`${UID}.arp`, block);
  add(`${UID}-${UID}-1.json`, JSON.stringify(packaged({ request, result })));
  add(`${UID}-${UID}-2.json`, "cut sho");
  add("notes.txt", "");
  const encoded = new Response(form);
  const headers = { "Content-Type": encoded.headers.get("content-type") ?? "", Origin: authority.url };
  const body = Buffer.from(await encoded.arrayBuffer()).toString("latin1");
  const page = await callAuthority(authority, "POST", "/stick", { headers, body: Buffer.from(body, "latin1") });
  expect(page.text).toContain("status 4");
  expect(page.text).toContain("copy the file again");
  expect(page.text).toContain("the proof is among the commands");
  expect(page.text).toContain("1 other files were ignored");
  const commands = (await callAuthority(authority, "GET", `/stick/${UID}.commands`)).json<AuthorityCommands>();
  expect(types(commands)).toEqual([7, 0, 1, 2, 5]);
  const [proof] = commands.slice(-1);
  const { kind: outcome } = await new CardAtAuthority(till.card).endAudit(Buffer.from(proof?.payload ?? "", "base64"));
  expect(outcome).toBe("accepted");
  const results = JSON.stringify([
    { commandId: "of another authority", success: true },
    { commandId: proof?.commandId, success: true, dateAndTime: "2026-11-22T10:00:00.000Z" },
  ]);
  const wrong = JSON.stringify([{ commandId: proof?.commandId, success: true, dateAndTime: "yesterday" }]);
  const refused = await callAuthority(authority, "PUT", `/stick/${UID}.results`, { body: wrong });
  expect(refused.text).toContain("expected a list of {commandId, success, dateAndTime}");
  const put = await callAuthority(authority, "PUT", `/stick/${UID}.results`, { body: results });
  expect(put.json()).toEqual({
    name: `${UID}.results`,
    uid: UID,
    outcome: "results of commands: 1, of unknown commands: 1",
  });
  expect(authority.office.card(UID).proofs).toMatchObject([{ accepted: true }]);
  for (const file of ["notes.txt", `${UID}.commands`]) {
    expect((await callAuthority(authority, "PUT", `/stick/${file}`, { body: "[]" })).status).toBe(400);
  }
});
