/** The console with twenty thousand receipts. They are inserted, not sold. */
import { openStore } from "../../src/ledger/database.js";
import { SQL } from "../../src/ledger/sql.js";
import { checksumOfEntry, type StoredEntry } from "../../src/ledger/stored-entry.js";
import { endTill, expect, open, type Start, seriousOn, type Till, test } from "./till.js";

const MINUTE = 60_000;
const RECEIPTS = 20_000;

/** A shop that sold one receipt a minute until now; each is a copy of the first. */
async function shop(start: Start, folder: string): Promise<Till> {
  const flags = ["--data-dir", folder, "--no-authority", "--environment", "specification"];
  const first = await start(flags);
  await first.pin();
  await first.sell({ cashier: "Ana" }, { RequestId: "order-1" });
  await endTill(first);
  const { db, close } = openStore(folder);
  const { checksum: _, ...sold } = db.prepare<[number], StoredEntry>(SQL.byId).get(1) as StoredEntry;
  const insert = db.prepare<[StoredEntry]>(SQL.insert);
  const { sdcTime } = JSON.parse(sold.intent ?? "") as { sdcTime: number };
  db.transaction(() => {
    db.exec("DELETE FROM invoices");
    for (let n = 1; n <= RECEIPTS; n++) {
      const at = sdcTime - (RECEIPTS - n) * MINUTE;
      const number = `TESTCARD-TESTCARD-${n}`;
      const written = (text: string | null) =>
        text
          ?.replaceAll("TESTCARD-TESTCARD-1", number)
          .replaceAll(new Date(sdcTime).toISOString(), new Date(at).toISOString())
          .replaceAll(String(sdcTime), String(at))
          .replaceAll('"Ana"', n === 7 ? '"Zorka"' : '"Ana"') ?? null;
      const row = { ...sold, id: n, requestId: `order-${n}`, totalCounter: n, number };
      const copy = { ...row, intent: written(sold.intent), answer: written(sold.answer) };
      insert.run({ ...copy, checksum: checksumOfEntry(copy) });
    }
  })();
  close();
  return start(flags);
}

test("20,000 receipts are shown and searched, in Cyrillic and dark, on a phone", async ({ page, folder, start }) => {
  // On a busy machine the rows of a large store take a minute.
  test.setTimeout(3 * MINUTE);
  const till = await shop(start, folder);
  await page.addInitScript('localStorage.setItem("tillseal.language", "sr-Cyrl")');
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 900 });
  await open(page, till, "receipts");
  await expect(page.getByRole("heading", { name: "Рачуни", exact: true })).toBeVisible();
  const rows = page.locator("tbody tr");
  await expect(rows.first()).toContainText(`TESTCARD-TESTCARD-${RECEIPTS}`);
  await expect(rows).toHaveCount(50);
  expect(await seriousOn(page)).toEqual([]);
  const search = page.getByRole("searchbox").first();
  await search.fill("order-7");
  await expect(rows.first().getByText("TESTCARD-TESTCARD-7", { exact: true })).toBeVisible();
  await search.fill("zorka");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("TESTCARD-TESTCARD-7");
});
