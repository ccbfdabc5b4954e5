/** The environment that the tax authority sent for each card: read from the store, cached for sales. */
import type { EnvironmentParameters, FiscalEnvironment, RateGroupFile } from "../fiscal/environment.js";
import type { TaxRateGroup } from "../fiscal/tax.js";
import type { AuthorityLedger, Sent } from "../ledger/authority-ledger.js";
import { groupIn } from "./payloads.js";

export interface SentEnvironment {
  /** Undefined until parameters and rates have arrived, and if the stored copy is damaged. */
  readonly environment: FiscalEnvironment | undefined;
  /** When the newest part arrived: ms since the epoch. */
  readonly since: number;
  /** Whether the stored copy is damaged. */
  readonly damaged: boolean;
}

export class SentEnvironments {
  private byUid: ReadonlyMap<string, SentEnvironment> = new Map();
  private newest: string | undefined;

  private constructor(private readonly ledger: Pick<AuthorityLedger, "sent">) {}

  /** @throws LedgerError */
  static async load(ledger: Pick<AuthorityLedger, "sent">): Promise<SentEnvironments> {
    const environments = new SentEnvironments(ledger);
    await environments.reload();
    return environments;
  }

  /** Reads the store again after a change. @throws LedgerError */
  async reload(): Promise<void> {
    const sent = await this.ledger.sent();
    this.newest = sent.at(-1)?.uid;
    this.byUid = environmentsIn(sent);
  }

  /** @returns undefined if the authority has sent nothing for this card */
  of(uid: string): SentEnvironment | undefined {
    return this.byUid.get(uid);
  }

  /** UID of the card that last got something. */
  get newestUid(): string | undefined {
    return this.newest;
  }
}

/** @param sent in the order of sending */
export function environmentsIn(sent: readonly Sent[]): ReadonlyMap<string, SentEnvironment> {
  const uids = new Set(sent.map(({ uid }) => uid));
  return new Map([...uids].map((uid) => [uid, environmentIn(sent.filter((one) => one.uid === uid))]));
}

/**
 * The newest wins: a command's address replaces the one in the parameters, and a group replaces an earlier one with the
 * same validFrom.
 */
function environmentIn(sent: readonly Sent[]): SentEnvironment {
  const since = Math.max(...sent.map(({ receivedAt }) => receivedAt));
  const damaged: SentEnvironment = { environment: undefined, since, damaged: true };
  if (!sent.every(({ intact }) => intact)) return damaged;
  const taxRates: TaxRateGroup[] = [];
  let parameters: EnvironmentParameters | undefined;
  let addresses: { ntpServer?: string; root?: string } = {};
  for (const { name, value } of sent) {
    switch (name) {
      case "rates":
        taxRates.push(groupIn(JSON.parse(value) as RateGroupFile));
        break;
      case "parameters":
        parameters = JSON.parse(value) as EnvironmentParameters;
        addresses = {};
        break;
      case "timeServer":
        addresses = { ...addresses, ntpServer: JSON.parse(value) as string };
        break;
      case "verificationRoot":
        addresses = { ...addresses, root: JSON.parse(value) as string };
    }
  }
  if (!parameters || taxRates.length === 0) return { environment: undefined, since, damaged: false };
  const { endpoints, ntpServer } = parameters;
  const { root = endpoints.root } = addresses;
  const inForce = { ...parameters, endpoints: { ...endpoints, root }, ntpServer: addresses.ntpServer ?? ntpServer };
  return { environment: { parameters: inForce, taxRates }, since, damaged: false };
}
