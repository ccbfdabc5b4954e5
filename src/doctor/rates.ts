/**
 * Checks the environment that a shop sells with: the environment that the tax authority sent for the card, or else the
 * file in the settings.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ConfiguredEnvironment, inForce } from "../config/environment-in-force.js";
import { environmentsIn, type SentEnvironment } from "../config/sent-environments.js";
import { toIso } from "../fiscal/time.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { StoreReading } from "../ledger/store-reading.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { type Examined, ok } from "./check.js";

export interface RatesCheck extends Pick<ConfiguredEnvironment, "file" | "fileName"> {
  readonly dataDir: string;
  /** The card in the reader. */
  readonly card: Pick<CardIdentity, "uid" | "country"> | undefined;
}

export function checkRates({ dataDir, card, file, fileName }: RatesCheck): Examined {
  const sent = card && sentFor(dataDir, card.uid);
  const { environment, source, unusable } = inForce(sent, { file, fileName, languages: undefined }, card?.country);
  const { environmentName = "" } = environment?.parameters ?? {};
  const message = {
    authority: () => `environment ${environmentName}, which the tax authority sent (${toIso(sent?.since ?? 0)})`,
    file: () => `environment ${environmentName}, from the file ${fileName}`,
    nothing: () => "",
  }[source.kind]();
  return { checks: [ok("tax rates", message)], facts: { environment, environmentSource: source, unusable } };
}

/**
 * The environment that the authority sent for a card; undefined without one. It is undefined also for an unreadable
 * store, because another check reports that.
 */
function sentFor(dataDir: string, uid: string): SentEnvironment | undefined {
  if (!existsSync(join(dataDir, STORE_FILE))) return undefined;
  let store: StoreReading | undefined;
  try {
    store = StoreReading.open(dataDir);
    return environmentsIn(store.sent()).get(uid);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  } finally {
    store?.close();
  }
}
