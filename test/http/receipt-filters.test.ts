/** Filters and links of receipts, and the index beside the store that answers them. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ReceiptDetailRecord, ReceiptListRecord } from "../../src/console/records/receipts.js";
import { RECEIPT_INDEX_FILE, removeReceiptIndex } from "../../src/ledger/receipt-index.js";
import { temporaryFolder } from "../support/folder.js";
import { item, openTill, sale, type Till } from "../support/till.js";

async function soldTill(dataDir: string): Promise<Till> {
  const till = await openTill({ settings: { dataDir } });
  await till.sell(sale({ cashier: "Ђорђе Чолић", items: [item("ХЛЕБ бели", 100)] }));
  await till.sell(sale({ buyerId: "10:123456789", items: [{ ...item("Milk", 100, "B"), gtin: "38600001" }] }));
  await till.sell(sale({ payment: [{ amount: 100, paymentType: "Card" }] }));
  const original = { referentDocumentNumber: "TESTCARD-TESTCARD-2" };
  await till.sell(sale({ transactionType: "Refund", ...original, items: [item("Milk", 100, "B")] }));
  await till.sell(sale({ invoiceType: "Copy", ...original }));
  return till;
}

async function listIds(till: Till, query: Record<string, string>): Promise<number[]> {
  const answer = await till.call("GET", `/console/receipts?${new URLSearchParams(query)}`);
  expect(answer.status).toBe(200);
  const { receipts, reading } = answer.json<ReceiptListRecord>();
  expect(reading).toBeNull();
  return receipts.map(({ id }) => id);
}

const detail = async (till: Till, id: number) =>
  (await till.call("GET", `/console/receipts/${id}`)).json<ReceiptDetailRecord>();

it("receipts are found by words of cashier, buyer and article in any script, and narrowed by kind, label and payment", async () => {
  const till = await soldTill(temporaryFolder());
  for (const [query, ids] of [
    [{ kind: "Normal Refund" }, [4]],
    [{ search: "djordje" }, [1]],
    [{ search: "ČOLIĆ" }, [1]],
    [{ search: "123456789" }, [2]],
    [{ label: "b" }, [4, 2]],
    [{ payment: "Card" }, [3]],
    [{ search: "hleb" }, [1]],
    [{ search: "mleko" }, []],
    [{ search: "milk" }, [4, 2]],
    [{ search: "38600001" }, [2]],
    [{ search: "milk", kind: "Normal Sale" }, [2]],
    [{ kind: "Normal Sale", search: "100" }, [3, 2, 1]],
    [{ kind: "Normal Sale", search: "TESTCARD-TESTCARD-3" }, [3]],
    [{ kind: "Normal Sale", to: "2020-01-01T00:00:00Z" }, []],
    [{ kind: "Normal Sale", limit: "2" }, [3, 2]],
  ] as const) {
    expect([query, await listIds(till, query)]).toEqual([query, ids]);
  }
  for (const query of ["kind=NS", "payment=Gold"]) {
    expect((await till.call("GET", `/console/receipts?${query}`)).status).toBe(404);
  }
});

it("receipts link a sale to its refunds and copies, and these to the sale", async () => {
  const till = await soldTill(temporaryFolder());
  const { followers, original } = await detail(till, 2);
  expect([followers.rows.map(({ id }) => id), followers.reading, original]).toEqual([[4, 5], null, null]);
  expect((await detail(till, 4)).original).toMatchObject({ number: "TESTCARD-TESTCARD-2", row: { id: 2 } });
});

it("receipts reach the index on the next request: new ones, and all when the index was deleted, damaged or taken from another store", async () => {
  const dataDir = temporaryFolder();
  const file = join(dataDir, RECEIPT_INDEX_FILE);
  const till = await soldTill(dataDir);
  // Sales do not write the index.
  expect(existsSync(file)).toBe(false);
  expect(await listIds(till, { kind: "Normal Sale" })).toEqual([3, 2, 1]);
  await till.sell();
  expect(await listIds(till, { kind: "Normal Sale" })).toEqual([6, 3, 2, 1]);
  removeReceiptIndex(dataDir);
  expect(await listIds(till, { kind: "Normal Sale" })).toEqual([6, 3, 2, 1]);
  await till.stop();
  writeFileSync(file, "this is no database, but long enough to be taken for one by a careless reader".repeat(100));
  const again = await openTill({ settings: { dataDir }, pinVerified: false });
  expect(await listIds(again, { kind: "Normal Sale" })).toEqual([6, 3, 2, 1]);
  await again.stop();
  const index = readFileSync(file);

  const elsewhere = temporaryFolder();
  const other = await openTill({ settings: { dataDir: elsewhere } });
  await other.sell(sale({ cashier: "Ana" }));
  await other.stop();
  writeFileSync(join(elsewhere, RECEIPT_INDEX_FILE), index);
  const mixed = await openTill({ settings: { dataDir: elsewhere }, pinVerified: false });
  expect(await listIds(mixed, { kind: "Normal Sale" })).toEqual([1]);
  expect(await listIds(mixed, { search: "djordje" })).toEqual([]);
  rmSync(elsewhere, { recursive: true, force: true });
});
