/** A broken or hostile authority: the card keeps its session, sales go on, and valid commands are still executed. */
import { expect, it, vi } from "vitest";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { asleep } from "../support/asleep.js";
import { AuditingAuthority } from "../support/auditing-authority.js";
import { openTill, sale, type Till, type TillOptions } from "../support/till.js";

const UID = "TESTCARD";
const DAY_MS = 86_400_000;

const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000 });

async function opened(authority: AuditingAuthority, options: TillOptions = {}) {
  const timer = { now: () => 0, sleep: asleep };
  const till = await openTill({ timer, openAuthority: () => authority, profile: { limit: "400" }, ...options });
  return { till, round: () => roundOf(till, authority) };
}

async function roundOf(till: Till, authority: AuditingAuthority): Promise<void> {
  const { asked } = authority;
  void till.service.talkToAuthority();
  await until(() => expect(authority.asked).toBeGreaterThan(asked));
}

const SALE = sale({ items: [{ name: "Tea", quantity: 1, labels: ["A"], unitPrice: 100, totalAmount: 100 }] });

async function sells(till: Till, times: number): Promise<void> {
  for (let i = 0; i < times; i++) expect((await till.sell(SALE)).status).toBe(200);
}

/** A till whose card has asked for a proof of audit, which the authority holds back. */
async function requested(options: TillOptions = {}) {
  const authority = new AuditingAuthority();
  authority.holds = true;
  const { till, round } = await opened(authority, options);
  await sells(till, 3);
  await round();
  await until(() => expect(authority.requests).toHaveLength(1));
  return { authority, till, round };
}

it("the service finds the right proof after a wrong one", async () => {
  const { authority, till, round } = await requested();
  authority.wrongProofs = 1;
  authority.prove();
  authority.prove();
  await round();
  await until(() => expect(authority.reports.map(([, success]) => success)).toEqual([false, true]));
  expect(till.cardState().sum).toBe(0n);
});

it.each([
  ["a directive without a byte", COMMAND_TYPE.directive, '""'],
  ["a directive of 70,000 bytes", COMMAND_TYPE.directive, Buffer.alloc(70_000).toString("base64")],
  ["a proof of 255 bytes", COMMAND_TYPE.proofOfAudit, Buffer.alloc(255).toString("base64")],
  ["a proof of 70,000 bytes", COMMAND_TYPE.proofOfAudit, Buffer.alloc(70_000).toString("base64")],
])("the service reports %s as failed and goes on selling", async (_case, type, payload) => {
  const { authority, till, round } = await requested();
  authority.command(type, payload, { uid: UID, commandId: "odd" });
  await round();
  await until(() => expect(authority.reports).toEqual([["odd", false]]));
  expect(till.cardState().sum).toBe(3_000_000n);
  await sells(till, 1);
});

it("the service asks for a proof again when the clock was set back since the first request", async () => {
  const time = { now: Date.UTC(2026, 5, 1) };
  const { authority, round } = await requested({ now: () => time.now });
  time.now -= 2 * DAY_MS;
  await round();
  await until(() => expect(authority.requests).toHaveLength(2));
});
