/** What every Ledger does, whatever stores its entries. */
import { describe, expect, it } from "vitest";
import type { Change, Completion, Ledger, NewIntent, NewReport } from "../../src/ledger/ledger.js";

export const UID = "TESTCARD";

export const newIntent = (requestId: string | null = null, uid = UID): Change & { kind: "intent" } => ({
  kind: "intent",
  intent: { requestId, requestHash: `hash of ${requestId}`, uid, intent: `{"of":"${requestId}"}` } satisfies NewIntent,
});

export const completion = (totalCounter: number, uid = UID): Completion => ({
  totalCounter,
  number: `${uid}-${uid}-${totalCounter}`,
  signature: Buffer.from(`signature ${totalCounter}`),
  answer: `{"totalCounter":${totalCounter},"totalAmount":1.50}`,
});

const report: NewReport = { uid: UID, kind: "behind", from: 2, to: 4, at: 1_700_000_000_000, requestId: null };

/** @param make creates an empty ledger */
export function ledgerContract(name: string, make: () => Ledger): void {
  const begun = async (requestId: string | null = "order-1") => {
    const ledger = make();
    const [id = 0] = await ledger.commit([newIntent(requestId)]);
    return { ledger, id };
  };
  const fails = (ledger: Ledger, changes: readonly Change[]) =>
    expect(ledger.commit(changes)).rejects.toMatchObject({ name: "LedgerError", fault: "damaged" });

  describe(`the ledger ${name}`, () => {
    it("keeps an intent as it was written, until it is complete", async () => {
      const { ledger, id } = await begun();
      const { intent } = newIntent("order-1");
      const unsigned = { state: "intent", totalCounter: null, number: null, signature: null, answer: null };
      expect(await ledger.byRequestId("order-1")).toEqual({ id, ...intent, ...unsigned, intact: true });
      expect(await ledger.openIntents(UID)).toMatchObject([{ id }]);
      await ledger.commit([{ kind: "complete", id, completion: completion(7) }]);
      const complete = { id, ...intent, state: "complete", ...completion(7), intact: true };
      expect(await ledger.byRequestId("order-1")).toEqual(complete);
      expect(await ledger.byNumber("TESTCARD-TESTCARD-7")).toEqual([complete]);
      expect(await ledger.last(UID)).toEqual(complete);
      expect(await ledger.openIntents()).toEqual([]);
    });

    it("lets an abandoned RequestId be used again, with another id", async () => {
      const { ledger, id } = await begun();
      const [again] = await ledger.commit([{ kind: "abandon", id }, newIntent("order-1")]);
      expect(again).toBeGreaterThan(id);
      expect(await ledger.byRequestId("order-1")).toMatchObject({ id: again, state: "intent" });
      await fails(ledger, [{ kind: "complete", id, completion: completion(1) }]);
    });

    it("keeps lost and unproven entries for good", async () => {
      const { answer: _, ...signed } = completion(3);
      const unsigned = { number: null, signature: null };
      for (const [settled, expected] of [
        [
          { kind: "lose", totalCounter: null },
          { state: "lost", totalCounter: null, ...unsigned },
        ],
        [
          { kind: "lose", totalCounter: 3 },
          { state: "lost", totalCounter: 3, ...unsigned },
        ],
        [
          { kind: "unproven", completion: signed },
          { state: "unproven", ...signed },
        ],
      ] as const) {
        const { ledger, id } = await begun();
        await ledger.commit([{ ...settled, id }]);
        expect(await ledger.byRequestId("order-1")).toMatchObject({ ...expected, answer: null, intact: true });
        await fails(ledger, [{ kind: "complete", id, completion: completion(3) }]);
        await fails(ledger, [{ kind: "abandon", id }]);
        await fails(ledger, [newIntent("order-1")]);
      }
    });

    it("adopts a receipt without an earlier intent", async () => {
      const ledger = make();
      expect(await ledger.commit([{ kind: "adopt", receipt: { uid: UID, ...completion(9) } }])).toEqual([]);
      const adopted = { state: "adopted", requestId: null, requestHash: "", intent: null, uid: UID, intact: true };
      expect(await ledger.last(UID)).toMatchObject({ ...adopted, ...completion(9) });
    });

    it("returns the newest numbered entry of a card, also when its counter went back", async () => {
      const { ledger, id } = await begun();
      await ledger.commit([{ kind: "complete", id, completion: completion(9) }, newIntent(), newIntent()]);
      const [other] = await ledger.commit([newIntent(null, "OTHERONE")]);
      const [second = 0] = (await ledger.openIntents(UID)).map((entry) => entry.id);
      await ledger.commit([{ kind: "complete", id: second, completion: completion(2) }]);
      expect(await ledger.last(UID)).toMatchObject({ id: second, totalCounter: 2 });
      const [third = 0] = (await ledger.openIntents(UID)).map((entry) => entry.id);
      await ledger.commit([{ kind: "complete", id: third, completion: completion(9) }]);
      expect((await ledger.byNumber("TESTCARD-TESTCARD-9")).map((entry) => entry.id)).toEqual([id, third]);
      expect(await ledger.last("OTHERONE")).toBeUndefined();
      expect(await ledger.openIntents()).toMatchObject([{ id: other, uid: "OTHERONE" }]);
    });

    it("keeps only the latest data of a card", async () => {
      const { ledger, id } = await begun();
      await ledger.commit([{ kind: "complete", id, completion: completion(9) }]);
      expect((await ledger.card(UID)).lastCounter).toBeUndefined();
      const certificate = Buffer.from("certificate");
      await ledger.commit([{ kind: "card", uid: UID, lastCounter: 9, counting: ["Normal"], certificate }]);
      await ledger.commit([{ kind: "card", uid: UID, lastCounter: 3, counting: ["Normal", "Advance"] }]);
      const latest = { lastCounter: 3, counting: ["Normal", "Advance"], certificate, restored: false };
      expect(await ledger.card(UID)).toEqual(latest);
    });

    it("keeps a card's refusal until the card signs or executes a directive, and no other data of it changes", async () => {
      const ledger = make();
      const card = { uid: UID, lastCounter: 3, counting: ["Normal"] } as const;
      await ledger.commit([{ kind: "card", ...card }]);
      const before = await ledger.card(UID);
      expect(before.refusal).toBeUndefined();
      const ends: readonly Change[] = [
        { kind: "accepted", uid: UID },
        { kind: "card", ...card },
      ];
      for (const end of ends) {
        await ledger.commit([{ kind: "refused", uid: UID, why: "disabled", at: 4 }]);
        await ledger.commit([{ kind: "refused", uid: UID, why: "counter-at-end", at: 5 }]);
        expect(await ledger.card(UID)).toEqual({ ...before, refusal: { why: "counter-at-end", at: 5 } });
        await ledger.commit([end]);
        expect(await ledger.card(UID)).toEqual(before);
      }
    });

    it("returns reports until they are confirmed, oldest first", async () => {
      const ledger = make();
      const second: NewReport = { ...report, kind: "lost", from: null, to: null, requestId: "order-1" };
      await ledger.commit([
        { kind: "report", report },
        { kind: "report", report: second },
      ]);
      const [first, other] = await ledger.reports();
      expect([first, other]).toMatchObject([
        { ...report, confirmedAt: null },
        { ...second, confirmedAt: null },
      ]);
      const confirm: Change = { kind: "confirm", id: first?.id ?? 0, at: 5 };
      await ledger.commit([confirm]);
      expect(await ledger.reports()).toEqual([other]);
      await fails(ledger, [confirm]);
      await fails(ledger, [{ kind: "confirm", id: 99, at: 5 }]);
    });

    it("asks for no confirmation of a person's own decision", async () => {
      const ledger = make();
      await ledger.commit([{ kind: "report", report: { ...report, kind: "decided" }, known: true }]);
      expect(await ledger.reports()).toEqual([]);
      await fails(ledger, [{ kind: "confirm", id: 1, at: 5 }]);
    });

    it("writes all changes of a commit or none", async () => {
      const { ledger, id } = await begun();
      const good: Change[] = [
        { kind: "complete", id, completion: completion(1) },
        newIntent("order-2"),
        { kind: "card", uid: UID, lastCounter: 1, counting: [] },
        { kind: "report", report },
        { kind: "adopt", receipt: { uid: UID, ...completion(5) } },
      ];
      for (const bad of [
        { kind: "complete", id: 99, completion: completion(2) },
        { kind: "unproven", id: 99, completion: completion(2) },
        { kind: "lose", id: 99, totalCounter: null },
        { kind: "abandon", id: 99 },
        { kind: "complete", id, completion: completion(2) },
        newIntent("order-2"),
      ] satisfies Change[]) {
        await fails(ledger, [...good, bad]);
        expect(await ledger.byRequestId("order-1")).toMatchObject({ state: "intent" });
        expect(await ledger.byRequestId("order-2")).toBeUndefined();
        expect(await ledger.last(UID)).toBeUndefined();
        expect([(await ledger.card(UID)).lastCounter, await ledger.reports()]).toEqual([undefined, []]);
      }
      expect(await ledger.commit(good)).toEqual([id + 1]);
    });

    it("executes commits in the order in which they were requested", async () => {
      const ledger = make();
      const ids = await Promise.all(["a", "b", "c"].map((requestId) => ledger.commit([newIntent(requestId)])));
      expect((await ledger.openIntents(UID)).map((entry) => [entry.requestId, entry.id])).toEqual(
        ["a", "b", "c"].map((requestId, i) => [requestId, ids[i]?.[0]]),
      );
    });
  });
}
