/** The environment that a shop sells with: what the tax authority sent for the card, else the file that the settings name. */
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
  /** Of the card in the reader. */
  readonly uid: string | undefined;
  /** What the settings name. */
  readonly file: FiscalEnvironment | undefined;
  /** As the settings name it. */
  readonly fileName: string;
  /** ms since the epoch. */
  readonly now: number;
}

export function checkRates({ dataDir, uid, file, fileName, now }: RatesCheck): CheckedRates {
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
    return { finding: inForce(said, sent.environment, now), environment: sent.environment };
  }
  if (file) {
    const said = `environment ${file.parameters.environmentName}, from the file ${fileName}`;
    return { finding: inForce(said, file, now), environment: file };
  }
  const none =
    "none yet: the tax authority sends them to the service (authorityCertificate), or `environment` names a file";
  return { finding: fail(SUBJECT, none), environment: undefined };
}

function inForce(said: string, { taxRates }: FiscalEnvironment, now: number): Finding {
  return rateGroupAt(taxRates, now)
    ? ok(SUBJECT, said)
    : fail(SUBJECT, `${said}: no rates are in force at ${toIso(now)}`);
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
