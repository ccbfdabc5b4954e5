/** The keys that prove the signatures of a store. */
import { type KeyObject, X509Certificate } from "node:crypto";
import type { StoreReading } from "../ledger/store-reading.js";

export interface CardKeys {
  /** By UID. */
  readonly keys: ReadonlyMap<string, KeyObject>;
  /** UIDs of cards whose certificate cannot be read. */
  readonly damaged: readonly string[];
}

export function cardKeys(store: StoreReading): CardKeys {
  const keys = new Map<string, KeyObject>();
  const damaged: string[] = [];
  for (const { uid, certificate } of store.cards()) {
    if (certificate === null) continue;
    try {
      keys.set(uid, new X509Certificate(certificate).publicKey);
    } catch {
      damaged.push(uid);
    }
  }
  return { keys, damaged };
}
