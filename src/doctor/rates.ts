/**
 * Checks the environment that a shop sells with: the one that the tax authority sent for the card, or else the file in
 * the settings.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EnvironmentSource } from "../authority/environment-in-force.js";
import { environmentsIn, type SentEnvironment } from "../authority/sent-environments.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { toIso } from "../fiscal/time.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { StoreReading } from "../ledger/store-reading.js";
import { type Examined, ok } from "./check.js";

export interface RatesCheck {
  readonly dataDir: string;
  /** UID of the card in the reader. */
  readonly uid: string | undefined;
  /** The environment that the settings name. */
  readonly file: FiscalEnvironment | undefined;
  /** The name of that environment in the settings. */
  readonly fileName: string;
}

export function checkRates({ dataDir, uid, file, fileName }: RatesCheck): Examined {
  const sent = uid === undefined ? undefined : sentFor(dataDir, uid);
  if (sent?.damaged) return examined("", undefined, { from: "nothing", damaged: true });
  if (sent?.environment) {
    const { environment, since } = sent;
    const { environmentName } = environment.parameters;
    const message = `environment ${environmentName}, which the tax authority sent (${toIso(since)})`;
    return examined(message, environment, { from: "authority", since });
  }
  if (!file) return examined("", undefined, { from: "nothing", damaged: false });
  const message = `environment ${file.parameters.environmentName}, from the file ${fileName}`;
  return examined(message, file, { from: "file", name: fileName });
}

function examined(
  message: string,
  environment: FiscalEnvironment | undefined,
  environmentSource: EnvironmentSource,
): Examined {
  return { checks: [ok("tax rates", message)], facts: { environment, environmentSource } };
}

/** Undefined also for an unreadable store, which is another finding. */
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
