/** The service and the emulated authority together: configuration, sales, audit. */
import { expect, it, vi } from "vitest";
import { asleep } from "../support/asleep.js";
import { openAuthority } from "../support/audited-till.js";
import { KEYS, makeCard } from "../support/emulated-card.js";
import { serviceClient } from "../support/service-client.js";
import { openTill, sale } from "../support/till.js";

const UID = "TESTCARD";
const until = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 20_000, interval: 100 });

async function connected(limit: string) {
  const server = await openAuthority({ keys: KEYS });
  const card = makeCard({ limit });
  server.register({ certificate: card.certificate });
  const client = await serviceClient(server, UID);
  const timer = { now: () => 0, sleep: asleep };
  const till = await openTill({ card, timer, environment: null, openAuthority: () => client });
  const codes = async () => (await till.call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc;
  return { server, till, codes };
}

it("a new card is configured, sells, stops at its limit, is audited and sells again", async () => {
  const { server, till, codes } = await connected("400");
  await until(async () => {
    void till.service.talkToAuthority();
    expect(await codes()).toEqual(["0100", "0210"]);
  });
  await until(() => expect(server.office.commands(UID)).toEqual([]));
  server.office.setFaults({ holdProofs: true });
  for (let i = 0; i < 4; i++) expect((await till.sell()).status).toBe(200);
  await till.sell(sale({ invoiceType: "Training" }));
  expect((await till.sell()).json()).toMatchObject({ code: "2210" });
  void till.service.talkToAuthority();
  await until(() => expect(server.office.card(UID).claim).toMatchObject({ sum: 4_000_000n }));
  expect(till.cardState().sum).toBe(4_000_000n);
  server.office.clearFaults();
  await until(() => {
    void till.service.talkToAuthority();
    expect(till.cardState().sum).toBe(0n);
  });
  await until(() => expect(server.office.card(UID).proofs).toMatchObject([{ sum: 4_000_000n, accepted: true }]));
  const packages = server.office.packages(UID);
  expect(packages.map(({ status, findings }) => [status, findings])).toEqual(packages.map(() => [4, []]));
  expect(server.office.gaps(UID)).toEqual([]);
  expect((await till.sell()).status).toBe(200);
});

it("a wrong proof changes nothing, and the next one is accepted", async () => {
  const { server, till, codes } = await connected("400");
  await until(async () => {
    void till.service.talkToAuthority();
    expect(await codes()).toContain("0210");
  });
  server.office.setFaults({ wrongProof: true });
  for (let i = 0; i < 4; i++) await till.sell();
  await until(() => {
    void till.service.talkToAuthority();
    expect(server.office.card(UID).proofs[0]).toMatchObject({ accepted: false });
  });
  expect(till.cardState().sum).toBe(4_000_000n);
  server.office.clearFaults();
  await until(() => {
    void till.service.talkToAuthority();
    expect(till.cardState().sum).toBe(0n);
  });
});
