import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { InvoiceStore } from "../../src/store/invoice-store.js";
import { tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { openTill, sale } from "../support/till.js";

describe("tillseal backup", () => {
  it("copies the store while the service sells, and the copy has the invoices", async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, "data");
    const till = await openTill({ settings: { dataDir } });
    await till.sell(sale(), { RequestId: "order-1" });
    await till.sell(sale(), { RequestId: "order-2" });
    const copies = join(folder, "copies");

    mkdirSync(copies);
    const made = await tillseal(["backup", join(copies, "tillseal.db"), "--data-dir", dataDir]);
    expect(made).toMatchObject({ status: 0, stdout: `2 invoices are in ${join(copies, "tillseal.db")}\n` });
    expect((await till.sell()).json()).toMatchObject({ totalCounter: 3 });
    const copy = openStore(copies);
    try {
      expect(new InvoiceStore(copy.db).byRequestId("order-2")).toMatchObject({ state: "complete", totalCounter: 2 });
    } finally {
      copy.close();
    }
  });

  it("overwrites nothing, and says so where there is no store", async () => {
    const folder = temporaryFolder();
    const target = join(folder, "copy.db");
    writeFileSync(target, "precious");
    const missing = await tillseal(["backup", join(folder, "other.db"), "--data-dir", join(folder, "nowhere")]);
    expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining("there is no")]);
    const till = await openTill({ settings: { dataDir: join(folder, "data") } });
    await till.sell();
    const refused = await tillseal(["backup", target, "--data-dir", join(folder, "data")]);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("never overwrites")]);
  });
});
