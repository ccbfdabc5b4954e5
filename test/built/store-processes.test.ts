/** The store and other processes, which run the built package. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";
import { sold } from "../support/sold-store.js";
import { startStoreHolder } from "../support/store-holder.js";

it("another program that does not release the store is reported after a while", async () => {
  const { folder, store, ledger } = await sold();
  store.db.exec("COMMIT");
  const holder = await startStoreHolder(join(folder, "store/tillseal.db"));
  await vi.waitFor(() => expect(holder.holds()).toBe(true), 10_000);
  const refused = { fault: "busy", message: expect.stringContaining(folder) };
  await expect(ledger.commit([newIntent("order-3")])).rejects.toMatchObject(refused);
  await holder.release();
  expect(await ledger.commit([newIntent("order-3")])).toEqual([3]);
});

it("a program with a store does not keep an otherwise idle process alive", async () => {
  const program = `
    import { openStore } from "./dist/src/ledger/database.js";
    import { SqliteLedger } from "./dist/src/ledger/sqlite-ledger.js";
    const ledger = new SqliteLedger(openStore(process.argv[1]));
    await ledger.commit([]);
    if (process.getActiveResourcesInfo().includes("Timeout")) process.exit(1);`;
  const run = promisify(execFile);
  const args = ["--input-type=module", "-e", program, temporaryFolder()];
  await expect(run(process.execPath, args, { cwd: PACKAGE_ROOT, timeout: 20_000 })).resolves.toBeDefined();
});
