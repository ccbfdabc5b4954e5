/** What doctor, `audit unsent` and the uninstallers say about receipts that the tax authority may not have. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { auditsRecord } from "../../src/console/audit-record.js";
import { checkUnsent } from "../../src/doctor/packages.js";
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import { holdSent } from "../../src/ledger/hold-sent.js";
import type { NewReport } from "../../src/ledger/ledger.js";
import type { Db } from "../../src/ledger/sqlite.js";
import type { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { unsentSales } from "../../src/state/unsent-sales.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
import { opened } from "../support/sold-store.js";

interface Store {
  readonly db: Db;
  readonly ledger: SqliteLedger;
  readonly audits: AuditLedger;
  readonly folder: string;
}

const SIGNED = "n-signed";

function newStore(): Store {
  const { folder, store, ledger } = opened();
  return { folder, db: store.db, ledger, audits: new AuditLedger(ledger.access) };
}

async function sell({ ledger }: Store): Promise<number> {
  const [id = 0] = await ledger.commit([newIntent(null)]);
  await ledger.commit([{ kind: "complete", id, completion: completion(id) }]);
  return id;
}

async function reported({ ledger }: Store, report: Pick<NewReport, "kind" | "from" | "to">): Promise<void> {
  await ledger.commit([{ kind: "report", report: { uid: UID, at: 5, requestId: null, ...report } }]);
}

/** The authority has everything up to this entry. */
async function send({ audits }: Store, entry: number, status: number | null = 4): Promise<void> {
  const verdict = { entry, number: SIGNED, status, at: 6 };
  await audits.commit([{ kind: "sent", uid: UID, verdict, judged: status === 4 ? "verified" : "wrong" }]);
}

async function prove({ audits }: Store, covers: number): Promise<void> {
  const audit = { uid: UID, startedAt: 10, request: Buffer.alloc(260), sum: 1n, limit: 5n, covers };
  await audits.commit([{ kind: "started", audit }]);
  const { id = 0 } = (await audits.openAudit(UID)) ?? {};
  await audits.commit([{ kind: "closed", id, at: 20, outcome: "ended" }]);
}

const DAMAGE = "UPDATE invoices SET intent = replace(intent, '{', '[')";

/** What the store has besides one sale that the authority has, and what is said about it. */
const STATES: Record<string, [state: (store: Store) => Promise<unknown>, text: string]> = {
  "a receipt that was never sent": [
    sell,
    "1 receipt may not have reached the tax authority: 1 not sent, and not exported",
  ],
  "a damaged receipt that was never sent": [
    async (store) => {
      await sell(store);
      store.db.exec(`${DAMAGE} WHERE id = 2`);
    },
    "1 damaged (TESTCARD-TESTCARD-2)",
  ],
  "a damaged receipt that was left out of the packages": [
    async (store) => send(store, await sell(store), null),
    "1 damaged (TESTCARD-TESTCARD-2)",
  ],
  "a receipt behind a sale in doubt": [
    async (store) => {
      await store.ledger.commit([newIntent(null)]);
      await sell(store);
    },
    "2 receipts may not have reached the tax authority: 1 not sent, and not exported to a stick",
  ],
  "a sale in doubt": [({ ledger }) => ledger.commit([newIntent(null)]), "1 in doubt, being signed, or not saved yet"],
  "an adopted receipt and others that only the card counted": [
    async (store) => {
      await store.ledger.commit([{ kind: "adopt", receipt: { uid: UID, ...completion(7) } }]);
      await reported(store, { kind: "behind", from: 4, to: 7 });
    },
    "4 receipts may not have reached the tax authority: 4 missing in this store (counters 4–7)",
  ],
  "a lost receipt": [
    async (store) => {
      const [id = 0] = await store.ledger.commit([newIntent(null)]);
      await store.ledger.commit([{ kind: "lose", id, totalCounter: null }]);
      await reported(store, { kind: "lost", from: null, to: null });
    },
    "1 without a signature (counters unknown)",
  ],
  "an unproven receipt": [
    async (store) => {
      const [id = 0] = await store.ledger.commit([newIntent(null)]);
      const { answer: _, ...unproven } = completion(2);
      await store.ledger.commit([{ kind: "unproven", id, completion: unproven }]);
      await reported(store, { kind: "unproven", from: 2, to: 2 });
    },
    "1 without a signature (counters 2)",
  ],
};

it.each([
  ["packages that the authority has", async () => undefined, "allSent"],
  ["a receipt that was not sent", sell, "someToSend"],
  ["a receipt behind a sale in doubt", STATES["a receipt behind a sale in doubt"]?.[0], "someToSend"],
  ["a damaged receipt", STATES["a damaged receipt that was left out of the packages"]?.[0], "someDamaged"],
] as const)("the page Audit and audit status say %s", async (_name, reach, packages) => {
  const store = newStore();
  await send(store, await sell(store));
  await reach?.(store);
  const circumstances = { inReader: UID, unsentLimit: 9, configured: true, address: undefined };
  const { cards } = await auditsRecord(store.audits, { failedCommands: async () => [] }, circumstances);
  expect(cards).toMatchObject([{ packages }]);
});

it.each(Object.entries(STATES))(
  "%s is counted as not at the tax authority, until a proof covers it or a person has confirmed it",
  async (_name, [reach, text]) => {
    const store = newStore();
    const { ledger, audits } = store;
    await send(store, await sell(store));
    expect(await checkUnsent(audits)).toMatchObject({ verdict: "ok" });
    await reach(store);
    expect(await checkUnsent(audits)).toMatchObject({ verdict: "warn", message: expect.stringContaining(text) });
    const [report] = await ledger.reports();
    const [open] = await ledger.openIntents();
    if (open) await ledger.commit([{ kind: "complete", id: open.id, completion: completion(open.id) }]);
    if (report) await ledger.commit([{ kind: "confirm", id: report.id, at: 9 }]);
    else await prove(store, 9);
    expect(await checkUnsent(audits)).toMatchObject({ verdict: "ok" });
  },
);

it("after a restore it is not known what the tax authority lacks, until the card has said its counter", async () => {
  const store = newStore();
  const { ledger, audits, folder } = store;
  const card = { kind: "card", uid: UID, lastCounter: 1, counting: [] } as const;
  await ledger.commit([card]);
  await send(store, await sell(store));
  store.db.exec("COMMIT");
  holdSent(join(folder, STORE_FILE), { sent: [], commands: [], trusted: [UID], audits: [], proven: [] });
  expect(await checkUnsent(audits)).toMatchObject({
    verdict: "warn",
    message: expect.stringMatching(/^it is not known whether there are more receipts: .* card TESTCARD since/),
  });
  await ledger.commit([card]);
  expect(await checkUnsent(audits)).toMatchObject({ verdict: "ok" });
});

it.each([
  ["a damaged one that was never sent", (store: Store) => store.db.exec(DAMAGE)],
  ["a damaged one that was left out of the packages", (store: Store) => send(store, 1, null)],
])("the age of the oldest unsent receipt is also that of %s", async (_name, reach) => {
  const store = newStore();
  const signature = Buffer.from("0000018bcfe56800", "hex");
  await store.ledger.commit([newIntent(null)]);
  await store.ledger.commit([{ kind: "complete", id: 1, completion: { ...completion(1), signature } }]);
  await reach(store);
  expect(await unsentSales(store.audits)).toMatchObject({ oldestUnsent: 1_700_000_000_000 });
});
