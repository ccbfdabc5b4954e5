/**
 * Makes packages, from another store, of the sales that the store lacks since a backup was restored. Without these
 * packages, the authority may refuse every proof of audit for the card.
 */
import type { MissingSales } from "../ledger/audit-ledger.js";
import { StoreError } from "../ledger/database.js";
import { LedgerError } from "../ledger/ledger.js";
import { StoreReading } from "../ledger/store-reading.js";
import { packageFile } from "./audit-package.js";
import type { Packages } from "./packages.js";
import type { StickFile } from "./stick-files.js";

/**
 * Yields the packages that a store has. The store need not have the authority's key, because `packages` knows the key.
 * @param missing sales of one card
 * @throws StoreError
 */
export async function* packagesFrom(
  store: StoreReading,
  missing: readonly MissingSales[],
  packages: Pick<Packages, "packageOf">,
): AsyncGenerator<StickFile> {
  for (const { uid, from, to } of missing) {
    for (const entry of store.salesBetween(uid, from, to)) {
      const made = await packages.packageOf(entry);
      if (typeof made === "string") continue;
      const base64 = Buffer.from(JSON.stringify(made)).toString("base64");
      yield { name: packageFile(entry.number ?? `${entry.id}`), base64 };
    }
  }
}

/**
 * Yields the packages of the sales that several stores have, each sale once. If one store lacks a sale, the next store
 * may have it.
 */
export async function* packagesFromAll(
  files: readonly string[],
  missing: readonly MissingSales[],
  packages: Pick<Packages, "packageOf">,
): AsyncGenerator<StickFile> {
  const written = new Set<string>();
  for (const file of missing.length > 0 ? files : []) {
    let store: StoreReading | undefined;
    try {
      store = StoreReading.openFile(file);
      for await (const made of packagesFrom(store, missing, packages)) {
        if (written.has(made.name)) continue;
        written.add(made.name);
        yield made;
      }
    } catch (error) {
      // Skip a damaged store: damage is often the reason why a backup was restored.
      if (!(error instanceof StoreError || error instanceof LedgerError)) throw error;
    } finally {
      store?.close();
    }
  }
}
