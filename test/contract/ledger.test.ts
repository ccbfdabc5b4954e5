/** The contract on SQLite and in memory, and random commits against both at once. */
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { faultyLedger } from "../../emulator/world/faulty-ledger.js";
import { openStore } from "../../src/ledger/database.js";
import type { Change, Entry, Ledger, ReportKind } from "../../src/ledger/ledger.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { temporaryFolder } from "../support/folder.js";
import { standingTimes } from "../support/times.js";
import { completion, ledgerContract } from "./ledger.contract.js";
import { MemoryLedger } from "./model/ledger.js";

function sqliteLedger(): Ledger {
  const store = openStore(temporaryFolder());
  onTestFinished(() => store.close());
  return new SqliteLedger(store);
}

ledgerContract("in SQLite", sqliteLedger);
ledgerContract("in memory", () => new MemoryLedger());
ledgerContract("whose disk can fail, and does not", () =>
  faultyLedger(new MemoryLedger(), standingTimes(), "/data", () => undefined),
);

const uid = fc.constantFrom("CARDAAAA", "CARDBBBB");
/** There are only a few RequestIds, so that commits meet. */
const requestId = fc.option(fc.constantFrom("a", "b", "c", "d", "e"));
const id = fc.nat({ max: 12 });
const counter = fc.integer({ min: 1, max: 6 });
const text = fc.string({ unit: "binary", maxLength: 8 });
const completed = fc.tuple(uid, counter).map(([of, count]) => completion(count, of));
const kinds: ReportKind[] = ["behind", "back", "swapped", "lost", "unproven", "decided"];

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant("intent" as const),
    intent: fc.record({ requestId, requestHash: text, uid, intent: text }),
  }),
  fc.record({ kind: fc.constant("complete" as const), id, completion: completed }),
  fc.record({ kind: fc.constant("abandon" as const), id }),
  fc.record({ kind: fc.constant("lose" as const), id, totalCounter: fc.option(counter) }),
  fc.record({ kind: fc.constant("unproven" as const), id, completion: completed }),
  fc.record({
    kind: fc.constant("adopt" as const),
    receipt: fc.tuple(uid, counter).map(([of, count]) => ({ uid: of, ...completion(count, of) })),
  }),
  fc.record({
    kind: fc.constant("card" as const),
    uid,
    lastCounter: counter,
    counting: fc.array(text, { maxLength: 2 }),
    certificate: fc.option(fc.uint8Array({ minLength: 1, maxLength: 2 }).map(Buffer.from), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant("report" as const),
    report: fc.record({
      uid,
      kind: fc.constantFrom(...kinds),
      from: fc.option(counter),
      to: fc.option(counter),
      at: fc.nat(),
      requestId,
    }),
    known: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("confirm" as const), id, at: fc.nat() }),
);

const outcomeOf = (ledger: Ledger, changes: readonly Change[]) =>
  ledger.commit(changes).then(
    (ids) => ({ ids }),
    (error: { fault: unknown }) => ({ fault: error.fault }),
  );

const plain = (entry: Entry | undefined) =>
  entry && { ...entry, signature: entry.signature && Buffer.from(entry.signature).toString("latin1") };

/** Everything that a ledger returns. */
async function toldBy(ledger: Ledger) {
  const cards = ["CARDAAAA", "CARDBBBB"];
  const numbers = cards.flatMap((of) => [1, 2, 3, 4, 5, 6].map((count) => `${of}-${of}-${count}`));
  return {
    byRequestId: await Promise.all(["a", "b", "c", "d", "e"].map(async (of) => plain(await ledger.byRequestId(of)))),
    byNumber: await Promise.all(numbers.map(async (of) => (await ledger.byNumber(of)).map(plain))),
    last: await Promise.all(cards.map(async (of) => plain(await ledger.last(of)))),
    open: await Promise.all(cards.map(async (of) => (await ledger.openIntents(of)).map(plain))),
    cards: await Promise.all(cards.map((of) => ledger.card(of))),
    reports: await ledger.reports(),
    allOpen: (await ledger.openIntents()).map(plain),
  };
}

it("SQLite and memory agree after any accepted or rejected commits", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 25 }), async (commits) => {
      const store = openStore(temporaryFolder());
      const [sqlite, memory] = [new SqliteLedger(store), new MemoryLedger()];
      try {
        for (const changes of commits) {
          expect(await outcomeOf(sqlite, changes)).toEqual(await outcomeOf(memory, changes));
        }
        expect(await toldBy(sqlite)).toEqual(await toldBy(memory));
      } finally {
        store.close();
      }
    }),
    { numRuns: 40 },
  );
});
