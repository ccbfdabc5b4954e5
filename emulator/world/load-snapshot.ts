/** Reads a snapshot from a file, and starts a separate world from the snapshot to make sure that the snapshot works. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../src/base/thrown.js";
import { ConfigError } from "../../src/config/config-error.js";
import { requireOwnSchema } from "../../src/ledger/own-schema.js";
import type { Snapshot } from "./snapshot.js";
import { readSnapshotFile } from "./snapshot-file.js";
import { World } from "./world.js";

/**
 * Reads a snapshot and tries it out.
 * @param file the content of the file, which is untrusted
 * @throws ConfigError if the snapshot cannot be used, LimitError if it is too large
 */
export async function loadSnapshot(file: Uint8Array): Promise<Snapshot> {
  const snapshot = await readSnapshotFile(file);
  try {
    requireStoreSchema(snapshot.store);
    await tryOut(snapshot);
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigError(`This snapshot cannot be used: ${why}`);
  }
  return snapshot;
}

function requireStoreSchema(store: Uint8Array): void {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-snapshot-"));
  try {
    const file = join(folder, "store.db");
    writeFileSync(file, store, { mode: 0o600 });
    requireOwnSchema(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a world from the snapshot, in a temporary folder and on free ports. */
async function tryOut(snapshot: Snapshot): Promise<void> {
  const { given, cards, current } = snapshot;
  const world = await World.open(given, { otherAuthorityPort: true });
  try {
    if ([...world.cards.names].sort().join("\n") !== [...cards.keys()].sort().join("\n") || !cards.has(current)) {
      throw new ConfigError("its cards do not match its given");
    }
    await world.snapshots.goBackTo(snapshot);
  } finally {
    await world.close();
  }
}
