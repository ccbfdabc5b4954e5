/** Which copies of a store stay after an upgrade. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { copiesToRemove, copyBeforeUpgrade, UPGRADE_FOLDER } from "../../src/bookkeeping/backup/upgrade-copies.js";
import { openStore } from "../../src/ledger/database.js";
import { temporaryFolder } from "../support/folder.js";

const copyOf = (day: number, invoices: number) => `202603${String(day).padStart(2, "0")}T120000Z-${invoices}.db`;

it("the service keeps the newest copy and those of three versions that sold", () => {
  const copies = [10, 20, 30, 40, 50].map((invoices, at) => copyOf(at + 1, invoices));
  expect(copiesToRemove(copies)).toEqual([copyOf(1, 10), copyOf(2, 20)]);
});

it("the service keeps the copy that was just made, also if the clock was ahead at the earlier ones", async () => {
  const dataDir = temporaryFolder();
  openStore(dataDir).close();
  const folder = join(dataDir, UPGRADE_FOLDER);
  mkdirSync(folder);
  const earlier = [10, 20, 30].map((invoices, at) => copyOf(at + 1, invoices));
  for (const name of earlier) writeFileSync(join(folder, name), "");
  const { file } = await copyBeforeUpgrade(dataDir, Date.UTC(2000, 0, 1));
  expect(readdirSync(folder)).toEqual([basename(file), ...earlier]);
});

it("the service removes nothing but copies", () => {
  expect(copiesToRemove(["20260301T120000Z.db", "tillseal.db", "note.txt", "20260301T120000Z-1.db.part"])).toEqual([]);
});

it("the service keeps at most four copies, the newest among them, and the first with as many invoices", () => {
  const days = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 28 });
  fc.assert(
    fc.property(days, (sold) => {
      const counts = sold.map((_, day) => sold.slice(0, day + 1).reduce((sum, more) => sum + more));
      const copies = counts.map((invoices, day) => copyOf(day + 1, invoices));
      const removed = new Set(copiesToRemove(copies));
      const kept = copies.filter((name) => !removed.has(name));
      expect(kept.length).toBeLessThanOrEqual(4);
      expect(kept).toContain(copies.at(-1));
      expect(kept).toContain(copies.find((name) => name.endsWith(`-${counts.at(-1)}.db`)));
    }),
  );
});
