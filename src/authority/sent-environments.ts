/** Reads the environment that the tax authority sent for each card from the store, and keeps it in memory for sales. */
import type { EnvironmentParameters, FiscalEnvironment, RateGroupFile } from "../fiscal/environment.js";
import { supportedLanguages } from "../fiscal/language.js";
import type { TaxRateGroup } from "../fiscal/tax.js";
import { ianaZone } from "../fiscal/time-zone.js";
import type { AuthorityLedger, NewMadeChange, Sent, StoredCommand } from "../ledger/authority-ledger.js";
import type { ConfigurationChange } from "./configuration-change.js";
import { groupIn } from "./payloads.js";

/** The value that the store has under the name `parameters`. */
export interface StoredParameters extends EnvironmentParameters {
  /** If `serverTimeZone` is unknown, the IANA name of the zone that was in force before. */
  readonly keptTimeZone?: string;
}

export interface SentEnvironment {
  /** The environment; undefined until parameters and rates have arrived, and if the stored copy is damaged. */
  readonly environment: Omit<FiscalEnvironment, "timeZone"> | undefined;
  /** The IANA name of the zone; undefined if the authority has never sent a zone that we know. */
  readonly timeZone: string | undefined;
  /** When the newest part arrived: ms since the epoch. */
  readonly since: number;
  /** Whether the stored copy is damaged. */
  readonly damaged: boolean;
}

/** A change of rates or parameters that were in force, which a person has not seen yet. */
export interface UnseenChange extends Omit<NewMadeChange, "what"> {
  readonly id: number;
  readonly changes: readonly ConfigurationChange[];
}

/** What a person has to read: commands that wait for a yes, and changes that were made. */
export interface ToRead {
  readonly held: readonly StoredCommand[];
  readonly made: readonly UnseenChange[];
}

/** ms for which a change is shown. */
const SHOWN_MS = 14 * 86_400_000;

type Stored = Pick<AuthorityLedger, "sent" | "heldCommands" | "madeChanges">;

export class SentEnvironments {
  private byUid: ReadonlyMap<string, SentEnvironment> = new Map();
  private newest: string | undefined;
  private stored = 0;
  private unread: ToRead = { held: [], made: [] };

  private constructor(private readonly ledger: Stored) {}

  /** @throws LedgerError */
  static async load(ledger: Stored): Promise<SentEnvironments> {
    const environments = new SentEnvironments(ledger);
    await environments.reload();
    return environments;
  }

  /** Reads the store again after a change. @throws LedgerError */
  async reload(): Promise<void> {
    const sent = await this.ledger.sent();
    this.newest = sent.at(-1)?.uid;
    this.stored = sent.reduce((sum, { value }) => sum + value.length, 0);
    this.byUid = environmentsIn(sent);
    const made = (await this.ledger.madeChanges()).map(({ what, ...change }): UnseenChange => {
      return { ...change, changes: JSON.parse(what) as ConfigurationChange[] };
    });
    this.unread = { held: await this.ledger.heldCommands(), made };
  }

  /** Returns what a person has to read, without the changes that are too old. @param now ms since the epoch */
  toRead(now: number): ToRead {
    const { held, made } = this.unread;
    return { held, made: made.filter(({ at }) => now - at < SHOWN_MS) };
  }

  /** @returns undefined if the authority has sent nothing for this card */
  of(uid: string): SentEnvironment | undefined {
    return this.byUid.get(uid);
  }

  /** Number of characters that the store has of all cards. */
  get characters(): number {
    return this.stored;
  }

  /** UID of the card for which the authority last sent something. */
  get newestUid(): string | undefined {
    return this.newest;
  }
}

/** Returns the environments by the UID of the card. @param sent what the authority sent, in the order of sending */
export function environmentsIn(sent: readonly Sent[]): ReadonlyMap<string, SentEnvironment> {
  const uids = new Set(sent.map(({ uid }) => uid));
  return new Map([...uids].map((uid) => [uid, environmentIn(sent.filter((one) => one.uid === uid))]));
}

/**
 * Builds the environment of one card. The newest value applies: an address from a command replaces the address in the
 * parameters, and a group replaces an earlier group with the same validFrom.
 */
export function environmentIn(sent: readonly Sent[]): SentEnvironment {
  const since = Math.max(...sent.map(({ receivedAt }) => receivedAt));
  const nothing: SentEnvironment = { environment: undefined, timeZone: undefined, since, damaged: false };
  if (!sent.every(({ intact }) => intact)) return { ...nothing, damaged: true };
  const taxRates: TaxRateGroup[] = [];
  let stored: StoredParameters | undefined;
  let addresses: { ntpServer?: string; root?: string } = {};
  for (const { name, value } of sent) {
    switch (name) {
      case "rates":
        taxRates.push(groupIn(JSON.parse(value) as RateGroupFile));
        break;
      case "parameters":
        stored = JSON.parse(value) as StoredParameters;
        addresses = {};
        break;
      case "timeServer":
        addresses = { ...addresses, ntpServer: JSON.parse(value) as string };
        break;
      case "verificationRoot":
        addresses = { ...addresses, root: JSON.parse(value) as string };
    }
  }
  if (!stored || taxRates.length === 0) return nothing;
  const { keptTimeZone, ...parameters } = stored;
  const { endpoints, ntpServer, serverTimeZone, country } = parameters;
  const { root = endpoints.root } = addresses;
  const inForce = { ...parameters, endpoints: { ...endpoints, root }, ntpServer: addresses.ntpServer ?? ntpServer };
  const languages = supportedLanguages(parameters.supportedLanguages, country);
  const timeZone = ianaZone(serverTimeZone, country) ?? keptTimeZone;
  return { ...nothing, environment: { parameters: inForce, languages, taxRates }, timeZone };
}
