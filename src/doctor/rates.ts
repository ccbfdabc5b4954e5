/**
 * Checks the environment that a shop sells with: the one that the tax authority sent for the card, or else the file in
 * the settings.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { environmentsIn, type SentEnvironment } from "../authority/sent-environments.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { rateGroupAt } from "../fiscal/tax.js";
import { toIso } from "../fiscal/time.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { StoreReading } from "../ledger/store-reading.js";
import { type Finding, fail, ok } from "./finding.js";

const SUBJECT = "tax rates";

export interface CheckedRates {
  readonly finding: Finding;
  readonly environment: FiscalEnvironment | undefined;
}

export interface RatesCheck {
  readonly dataDir: string;
  /** UID of the card in the reader. */
  readonly uid: string | undefined;
  /** The environment that the settings name. */
  readonly file: FiscalEnvironment | undefined;
  /** The name of that environment in the settings. */
  readonly fileName: string;
  /** ms since the epoch. */
  readonly now: number;
}

export function checkRates({ dataDir, uid, file, fileName, now }: RatesCheck): CheckedRates {
  const sent = uid === undefined ? undefined : sentFor(dataDir, uid);
  if (sent?.damaged) {
    const advice = "the service cannot sell with them; restore a backup, or ask the authority to send them again";
    return {
      finding: fail(SUBJECT, `the stored rates and parameters from the tax authority are damaged; ${advice}`),
      environment: undefined,
    };
  }
  if (sent?.environment) {
    const { environmentName } = sent.environment.parameters;
    const said = `environment ${environmentName}, which the tax authority sent (${toIso(sent.since)})`;
    return { finding: inForce(said, sent.environment, now), environment: sent.environment };
  }
  if (file) {
    const said = `environment ${file.parameters.environmentName}, from the file ${fileName}`;
    return { finding: inForce(said, file, now), environment: file };
  }
  const none =
    "none yet: connect the service to the tax authority (authorityCertificate), or name a file with the setting environment";
  return { finding: fail(SUBJECT, none), environment: undefined };
}

function inForce(said: string, { taxRates }: FiscalEnvironment, now: number): Finding {
  return rateGroupAt(taxRates, now) ? ok(SUBJECT, said) : fail(SUBJECT, `${said}: no rates are valid at ${toIso(now)}`);
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
