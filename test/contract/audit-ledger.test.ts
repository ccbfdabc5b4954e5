/** What the store keeps of audits, and random histories. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type AuditChange, AuditLedger, type NewAudit, type PackageVerdict } from "../../src/ledger/audit-ledger.js";
import type { Change } from "../../src/ledger/ledger.js";
import { newLedgers } from "../support/ledgers.js";
import { completion, newIntent, UID } from "./ledger.contract.js";

type Both = ReturnType<typeof newLedgers>;

const request = Buffer.from("0100000001", "hex");
const audit = (covers: number, uid = UID): NewAudit => {
  return { uid, startedAt: 10, request, covers, sum: 2n ** 56n - 1n, limit: 5n };
};
const verdict = (entry: number, status: number | null = 4): PackageVerdict => {
  return { entry, number: `n-${entry}`, status, at: 30 };
};
const sent = (entry: number, status?: number | null, wrong = false): AuditChange => ({
  kind: "sent",
  uid: UID,
  verdict: verdict(entry, status),
  judged: wrong ? "wrong" : "verified",
});
const started = (covers: number, uid?: string): AuditChange => ({ kind: "started", audit: audit(covers, uid) });
const ended = (id: number): AuditChange => ({ kind: "closed", id, at: 20, outcome: "ended" });

/** @returns the entry's id */
async function sale({ ledger }: Both, totalCounter: number, uid = UID): Promise<number> {
  const [id = 0] = await ledger.commit([newIntent(null, uid)]);
  await ledger.commit([{ kind: "complete", id, completion: completion(totalCounter, uid) }]);
  return id;
}

it("the audits know which sales a card has counted elsewhere, until an audit that was started later has ended", async () => {
  const both = newLedgers();
  const { ledger, audits } = both;
  const report = { uid: UID, kind: "behind", from: 3, to: 5, at: 10, requestId: null } as const;
  const start = (startedAt: number): AuditChange => ({ kind: "started", audit: { ...audit(0), startedAt } });
  await audits.commit([start(9), ended(1)]);
  await ledger.commit([
    { kind: "report", report },
    { kind: "report", report: { ...report, kind: "back" } },
    { kind: "report", report: { ...report, uid: "OTHERONE", to: 3 }, known: true },
  ]);
  const other = { uid: "OTHERONE", from: 3, to: 3 };
  expect(await audits.missing()).toEqual([{ uid: UID, from: 3, to: 5 }, other]);
  await ledger.commit([{ kind: "confirm", id: 1, at: 11 }]);
  await audits.commit([start(11)]);
  expect(await audits.missing()).toHaveLength(2);
  await audits.commit([ended(2)]);
  expect(await audits.missing()).toEqual([other]);
});

it("the audits remember packages to send again, a minute after the first time and an hour after the others", async () => {
  const both = newLedgers();
  const { audits } = both;
  const [a, b, c] = [await sale(both, 1), await sale(both, 2), await sale(both, 3)];
  const judged = (entry: number, status: number, at: number): AuditChange => ({
    kind: "sent",
    uid: UID,
    verdict: { entry, number: `n-${entry}`, status, at },
    judged: status === 4 ? "verified" : status < 2 ? "repeat" : "wrong",
  });
  await audits.commit([judged(a, 0, 1_000), judged(b, 1, 2_000), judged(c, 3, 3_000)]);
  const due = async (now: number) => (await audits.nextToRepeat(UID, now))?.entry;
  expect([await due(60_999), await due(61_000), await due(999)]).toEqual([undefined, a, a]);
  await audits.commit([judged(a, 1, 61_000)]);
  expect([await due(62_000), await due(3_660_999)]).toEqual([b, b]);
  await audits.commit([judged(b, 4, 62_000)]);
  expect([await due(3_660_999), await due(3_661_000)]).toEqual([undefined, a]);
  expect(await audits.unverified(UID, 10)).toEqual([
    { entry: a, number: `n-${a}`, status: 1, at: 61_000, tries: 2 },
    { entry: c, number: `n-${c}`, status: 3, at: 3_000, tries: 1 },
  ]);
  expect(await audits.unverified(UID, 1)).toHaveLength(1);
  const refusal = { entry: a, number: `n-${a}`, reason: "no", at: 70_000 };
  await audits.commit([{ kind: "refused", uid: UID, refusal }]);
  expect((await audits.unverified(UID, 10)).map(({ entry }) => entry)).toEqual([c]);
  await audits.commit([started(c), ended(1)]);
  expect(await audits.unverified(UID, 10)).toEqual([]);
});

it("the audits remember which packages were written to a stick", async () => {
  const { audits } = newLedgers();
  await audits.commit([{ kind: "on-stick", uid: UID, entry: 7 }]);
  await audits.commit([{ kind: "on-stick", uid: UID, entry: 5 }]);
  expect(await audits.progress(UID)).toMatchObject({ onStick: 7, sentTo: 0 });
});

it("the audits contain an audit as it was started, until it is closed", async () => {
  const { audits } = newLedgers();
  await audits.commit([started(3)]);
  const open = { ...audit(3), id: 1, requestedAt: null, proofSent: false, endedAt: null, outcome: null };
  expect(await audits.openAudit(UID)).toEqual(open);
  await audits.commit([{ kind: "requested", id: 1, at: 11 }]);
  await audits.commit([{ kind: "proof-sent", id: 1, proofSent: true }]);
  expect(await audits.openAudit(UID)).toEqual({ ...open, requestedAt: 11, proofSent: true });
  await audits.commit([ended(1)]);
  expect(await audits.openAudit(UID)).toBeUndefined();
  expect(await audits.lastAudit(UID)).toMatchObject({ id: 1, endedAt: 20, outcome: "ended" });
  expect(await audits.progress(UID)).toMatchObject({ sentTo: 3, provenTo: 3 });
  await expect(audits.commit([sent(9), ended(1)])).rejects.toMatchObject({ fault: "damaged" });
  expect(await audits.progress(UID)).toMatchObject({ sentTo: 3 });
});

it("the audits prove nothing with an audit that is void or superseded", async () => {
  const { audits } = newLedgers();
  await audits.commit([started(3), started(4)]);
  expect(await audits.openAudit(UID)).toMatchObject({ id: 2, covers: 4 });
  await audits.commit([{ kind: "closed", id: 2, at: 20, outcome: "void" }]);
  expect(await audits.lastAudit(UID)).toMatchObject({ outcome: "void" });
  expect(await audits.progress(UID)).toMatchObject({ provenTo: 0 });
});

it("the audits count a card's sales without a proof, including one that was in doubt", async () => {
  const both = newLedgers();
  const { ledger, audits } = both;
  const first = await sale(both, 1);
  await sale(both, 1, "OTHERONE");
  expect([await audits.unsent(UID), await audits.unsent("OTHERONE")]).toEqual([1, 1]);
  const [doubt = 0] = await ledger.commit([newIntent(null)]);
  const third = await sale(both, 3);
  expect(await audits.unsent(UID)).toBe(2);
  expect(await audits.nextSale(UID, 0)).toMatchObject({ id: first });
  // The sale in doubt may come before it.
  expect(await audits.nextSale(UID, first)).toBeUndefined();
  await ledger.commit([{ kind: "complete", id: doubt, completion: completion(2) }]);
  expect(await audits.nextSale(UID, first)).toMatchObject({ id: doubt });
  expect([await audits.unsent(UID), await audits.newest(UID)]).toEqual([3, third]);
  await audits.commit([started(doubt), ended(1)]);
  expect(await audits.unsent(UID)).toBe(1);
  expect(await audits.cards()).toEqual(["OTHERONE", UID]);
});

it("the audits store the authority's last verdict, what it rejected, and the card's key", async () => {
  const { audits } = newLedgers();
  await audits.commit([sent(1), sent(2, 3, true), sent(3, null, true), sent(4)]);
  const judged = { last: verdict(4), wrong: 2, lastWrong: verdict(3, null) };
  const progress = { sentTo: 4, provenTo: 0, ...judged, refused: [], onStick: 0 };
  expect(await audits.progress(UID)).toEqual(progress);
  await audits.commit([{ kind: "key", uid: UID, key: Buffer.from("key") }]);
  expect(Buffer.from((await audits.authorityKey(UID)) ?? []).toString()).toBe("key");
  expect(await audits.progress(UID)).toEqual(progress);
});

it("the audits store what the authority has refused, until it is sent or proven", async () => {
  const { audits } = newLedgers();
  const refused = (entry: number, at = 30): AuditChange => ({
    kind: "refused",
    uid: UID,
    refusal: { entry, number: `n-${entry}`, reason: "400", at },
  });
  const left = async () => (await audits.progress(UID)).refused.map(({ entry, at }) => `${entry} at ${at}`);
  await audits.commit([sent(1), refused(3), refused(2), sent(4), refused(2, 40)]);
  expect(await audits.progress(UID)).toMatchObject({ sentTo: 4, last: verdict(4) });
  expect(await left()).toEqual(["2 at 40", "3 at 30"]);
  await audits.commit([sent(2)]);
  expect(await audits.progress(UID)).toMatchObject({ sentTo: 4, last: verdict(2) });
  await audits.commit([refused(5), started(3), ended(1)]);
  expect(await left()).toEqual(["5 at 30"]);
});

type Act = "begin" | "complete" | "abandon" | "lose" | "count" | "start" | "end";
const ACT = fc.constantFrom<Act>("begin", "complete", "abandon", "lose", "count", "start", "end");

it("the audits count after any history as a service that has just started", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ACT, { maxLength: 60 }), async (acts) => {
      const both = newLedgers();
      for (const [i, act] of acts.entries()) await play(both, act, i + 1);
      expect(await both.audits.unsent(UID)).toBe(await new AuditLedger(both.ledger.access).unsent(UID));
    }),
    { numRuns: 40 },
  );
});

async function play({ ledger, audits }: Both, act: Act, counter: number): Promise<void> {
  const [open] = await ledger.openIntents(UID);
  const changes: Record<string, Change | undefined> = {
    begin: newIntent(null),
    complete: open && { kind: "complete", id: open.id, completion: completion(counter) },
    abandon: open && { kind: "abandon", id: open.id },
    lose: open && { kind: "lose", id: open.id, totalCounter: null },
  };
  const change = changes[act];
  if (change) await ledger.commit([change]);
  if (act === "start") await audits.commit([started(await audits.newest(UID))]);
  const audit = await audits.openAudit(UID);
  if (act === "end" && audit) await audits.commit([ended(audit.id)]);
  if (act === "count") await audits.unsent(UID);
}
