/** Reads the public keys for checking the signatures of a store. */
import { type KeyObject, X509Certificate } from "node:crypto";
import type { StoreReading } from "../../ledger/store-reading.js";

export interface CardKeys {
  /** Keys by UID. A UID has several keys if several cards have had it. */
  readonly keys: ReadonlyMap<string, readonly KeyObject[]>;
  /** UIDs of cards whose certificate cannot be read. */
  readonly damaged: readonly string[];
}

export function cardKeys(store: StoreReading): CardKeys {
  const keys = new Map<string, KeyObject[]>();
  const damaged: string[] = [];
  for (const { uid, certificate } of store.certificates()) {
    try {
      const { publicKey } = new X509Certificate(certificate);
      keys.set(uid, [...(keys.get(uid) ?? []), publicKey]);
    } catch {
      damaged.push(uid);
    }
  }
  return { keys, damaged };
}
