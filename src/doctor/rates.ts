/** The environment that a shop sells with: what the tax authority sent for the card, else the file that the settings name. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { environmentsIn, type SentEnvironment } from "../authority/sent-environments.js";
import type { FiscalEnvironment } from "../config/environment.js";
import { toIso } from "../fiscal/time.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { StoreReading } from "../ledger/store-reading.js";
import { type Finding, fail, ok } from "./finding.js";

const SUBJECT = "tax rates";

export interface CheckedRates {
  readonly finding: Finding;
  readonly environment: FiscalEnvironment | undefined;
}

/**
 * @param uid of the card in the reader
 * @param file what the settings name
 */
export function checkRates(
  dataDir: string,
  uid: string | undefined,
  file: FiscalEnvironment | undefined,
): CheckedRates {
  const sent = uid === undefined ? undefined : sentFor(dataDir, uid);
  if (sent?.damaged) {
    const advice = "nothing is sold with them; restore a backup, or ask the authority to send them again";
    return {
      finding: fail(SUBJECT, `the store has damaged what the tax authority sent; ${advice}`),
      environment: undefined,
    };
  }
  if (sent?.environment) {
    const { environmentName } = sent.environment.parameters;
    const said = `environment ${environmentName}, which the tax authority sent (${toIso(sent.since)})`;
    return { finding: ok(SUBJECT, said), environment: sent.environment };
  }
  if (file) return { finding: ok(SUBJECT, `environment ${file.parameters.environmentName}`), environment: file };
  const none =
    "none yet: the tax authority sends them to the service (authorityCertificate), or `environment` names a file";
  return { finding: fail(SUBJECT, none), environment: undefined };
}

/** A store that cannot be read is another finding. */
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
