/** Proofs of audit from the emulated authority, accepted or refused by the card. */
import { expect, it } from "vitest";
import { CardAtAuthority } from "../../emulator/card/card-at-authority.js";
import {
  type AuditedTill,
  type AuthorityCommands,
  openAuditedTill,
  openAuthority,
  packaged,
  startAudit,
} from "../support/audited-till.js";
import { authorityClient } from "../support/authority-client.js";
import { KEYS } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { sale } from "../support/sale.js";

const UID = "TESTCARD";

const proofs = (commands: AuthorityCommands) => commands.filter(({ type }) => type === 5);

/** The card executes the proof, and its service reports the result. */
async function endAudit({ till, client }: AuditedTill, commands: AuthorityCommands) {
  const [proof, ...others] = proofs(commands);
  if (!proof || others.length > 0) throw new Error(`${others.length + 1} proofs instead of one`);
  const { kind: outcome } = await new CardAtAuthority(till.card).endAudit(Buffer.from(proof.payload, "base64"));
  await client.call("PUT", `/commands/${proof.commandId}`, String(outcome === "accepted"));
  return outcome;
}

it("a proof of audit is given when every package up to the sum is verified, and resets the card's sum", async () => {
  const audited = await openAuditedTill();
  for (let i = 0; i < 3; i++) await audited.submit(await audited.sell());
  expect(audited.till.cardState().sum).toBe(3_000_000n);
  expect(await endAudit(audited, await audited.requestProof())).toBe("accepted");
  expect(audited.till.cardState().sum).toBe(0n);
  expect(audited.authority.office.card(UID).proofs).toMatchObject([{ sum: 3_000_000n, upTo: 3, accepted: true }]);
  // The proof is accepted when nothing was sold since, and again after a sale.
  expect(await endAudit(audited, await audited.requestProof())).toBe("accepted");
  await audited.submit(await audited.sell());
  expect(await endAudit(audited, await audited.requestProof())).toBe("accepted");
  expect(audited.till.cardState().sum).toBe(0n);
});

it("a proof of audit waits for missing or unverified packages, and comes when they have arrived", async () => {
  const audited = await openAuditedTill();
  const { sell, submit, requestProof, client, authority } = audited;
  const [first, second, third] = [await sell(), await sell(), await sell()];
  expect(proofs(await requestProof())).toEqual([]);
  expect(authority.office.missing(UID)).toContain("do not end with a sum of 300.0000");
  await submit(third);
  expect(authority.office.missing(UID)).toContain("counters 1 to 2");
  expect(authority.office.gaps(UID)).toEqual([{ from: 1, to: 2 }]);
  await submit({ ...first, result: { ...first.result, tin: "RS1" } });
  expect(authority.office.missing(UID)).toContain("TESTCARD-TESTCARD-1 is not verified");
  await submit(first);
  expect(authority.office.missing(UID)).toContain("counter 2");
  await submit(second);
  const commands = (await client.call("GET", "/commands")).json<AuthorityCommands>();
  expect(await endAudit(audited, commands)).toBe("accepted");
});

it("a proof of audit leaves invoices in the sum that were signed during the audit, and the next audit covers them", async () => {
  const audited = await openAuditedTill();
  await audited.submit(await audited.sell());
  const commands = await audited.requestProof();
  const meanwhile = [await audited.sell(), await audited.sell(sale({ invoiceType: "Training" }))];
  expect(await endAudit(audited, commands)).toBe("accepted");
  expect(audited.till.cardState().sum).toBe(1_000_000n);
  for (const content of meanwhile) await audited.submit(content);
  expect(await endAudit(audited, await audited.requestProof())).toBe("accepted");
  expect(audited.till.cardState().sum).toBe(0n);
  expect(audited.authority.office.card(UID).proofs).toMatchObject([{ upTo: 1 }, { upTo: 3 }]);
});

it("a proof of audit that the card executed without a report stops no later audit", async () => {
  const audited = await openAuditedTill();
  await audited.submit(await audited.sell());
  const [proof] = proofs(await audited.requestProof());
  await new CardAtAuthority(audited.till.card).endAudit(Buffer.from(proof?.payload ?? "", "base64"));
  await audited.submit(await audited.sell());
  // A proof that no longer fits the card is not sent again, but its report is still accepted.
  expect(await endAudit(audited, await audited.requestProof())).toBe("accepted");
  expect(audited.till.cardState().sum).toBe(0n);
  expect((await audited.client.call("PUT", `/commands/${proof?.commandId}`, "true")).status).toBe(200);
});

it("a proof of audit exists once, however often the same request comes", async () => {
  const { sell, submit, till, client } = await openAuditedTill();
  await submit(await sell());
  const { body, block } = await startAudit(till);
  await client.call("POST", "/audit-proof", body);
  const prefixed = Buffer.concat([Buffer.from("01000000", "hex"), block]).toString("base64");
  const answer = await client.call("POST", "/audit-proof", { ...body, auditRequestPayload: prefixed });
  expect(proofs(answer.json())).toHaveLength(1);
});

it("a proof of audit starts at the card's counters when it was registered", async () => {
  const profile = { sum: "900", counters: { total: 7 } };
  const { sell, till } = await openAuditedTill({ profile });
  const authority = await openAuthority();
  const start = { counter: 7, sum: 9_000_000n };
  authority.office.register({ certificate: till.card.certificate, start });
  const client = await authorityClient(authority, UID);
  const proofsOf = async () =>
    proofs((await client.call("POST", "/audit-proof", (await startAudit(till)).body)).json());
  expect(await proofsOf()).toHaveLength(1);
  await client.call("POST", "/audit", packaged(await sell()));
  expect(await proofsOf()).toHaveLength(1);
  expect(authority.office.card(UID).proofs).toMatchObject([{ sum: 9_000_000n }, { sum: 10_000_000n }]);
  expect(authority.office.gaps(UID)).toEqual([]);
});

it("a proof of audit comes also after an unverified package below the counter at which the card was registered again", async () => {
  const audited = await openAuditedTill();
  const { authority, till } = audited;
  const sold = await audited.sell();
  await audited.submit({ ...sold, result: { ...sold.result, tin: "RS1" } });
  const start = { counter: 7, sum: 9_000_000n };
  await till.card.alter((state) => ({ ...state, totalCounter: start.counter, sum: start.sum }));
  authority.office.register({ certificate: till.card.certificate, start });
  await audited.submit(await audited.sell());
  expect(proofs(await audited.requestProof())).toHaveLength(1);
  expect(authority.office.card(UID).proofs).toMatchObject([{ sum: 10_000_000n, upTo: 8 }]);
});

it("a proof of audit covers counters without a package once a person has accepted them", async () => {
  const audited = await openAuditedTill();
  await audited.sell();
  await audited.submit(await audited.sell());
  expect(proofs(await audited.requestProof())).toEqual([]);
  audited.authority.office.explain(UID, { from: 1, to: 1, reason: "its signature was lost" });
  const commands = (await audited.client.call("GET", "/commands")).json<AuthorityCommands>();
  expect(await endAudit(audited, commands)).toBe("accepted");
  expect(audited.authority.office.gaps(UID)).toEqual([]);
});

it("a proof of audit is refused for a request that this card did not make, or with a sum that the card did not report", async () => {
  const { till, client, authority } = await openAuditedTill();
  const { body } = await startAudit(till);
  const refused = async (content: object) => {
    const answer = await client.call("POST", "/audit-proof", { ...body, ...content });
    return [answer.status, answer.json<{ message: string }>().message];
  };
  expect(await refused({ sum: 1 })).toEqual([400, expect.stringContaining("sum is 1")]);
  expect(await refused({ sum: -1 })).toEqual([400, expect.stringContaining("sum")]);
  expect(await refused({ auditRequestPayload: "AAAA" })).toEqual([400, expect.stringContaining("3 bytes")]);
  expect(await refused({ auditRequestPayload: Buffer.alloc(256).toString("base64") })).toEqual([
    400,
    expect.any(String),
  ]);
  const other = await authorityClient(authority, "OTHER001");
  expect((await other.call("POST", "/audit-proof", body)).status).toBe(400);
});

it("a proof of audit works for amounts of 56 bits with every digit", async () => {
  const { till, client, authority } = await openAuditedTill();
  const { body } = await startAudit(till);
  const text = JSON.stringify(body).replace(/"limit":\d+/, '"limit": 72057594037927935');
  expect((await client.call("POST", "/audit-proof", Buffer.from(text))).status).toBe(200);
  expect(authority.office.card(UID).limit).toBe(72_057_594_037_927_935n);
});

it("a proof of audit survives a restart of the authority, with everything else", async () => {
  const dataDir = temporaryFolder();
  const audited = await openAuditedTill({}, { dataDir });
  const [first, second] = [await audited.sell(), await audited.sell()];
  await audited.submit(first);
  await audited.requestProof();
  const { caCertificate } = audited.authority;
  await audited.authority.close();
  const authority = await openAuthority({ dataDir, keys: KEYS });
  expect(authority.caCertificate).toBe(caCertificate);
  expect(authority.office.packages(UID)).toMatchObject([{ counter: 1, status: 4, totalAmount: 1_000_000n }]);
  expect(authority.office.receipt(first.result.invoiceNumber)?.journal).toBe(first.result.journal);
  const client = await authorityClient(authority, UID);
  await client.call("POST", "/audit", packaged(second));
  const commands = (await client.call("GET", "/commands")).json<AuthorityCommands>();
  expect(commands.map(({ type }) => type)).toEqual([7, 0, 1, 2, 5]);
  expect(await endAudit({ ...audited, client }, commands)).toBe("accepted");
});
