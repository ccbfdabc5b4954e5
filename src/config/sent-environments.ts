/** Reads the environment that was sent for each card from the store, and keeps it in memory for sales. */
import type { EpochMs } from "../base/epoch-ms.js";
import type { EnvironmentParameters, FiscalEnvironment, RateGroupFile } from "../fiscal/environment.js";
import { supportedLanguages } from "../fiscal/language.js";
import type { TaxRateGroup } from "../fiscal/tax.js";
import { ianaZone } from "../fiscal/time-zone.js";
import type { AuthorityLedger } from "../ledger/authority-ledger.js";
import { type ConfigurationChange, type MadeChange, NO_END, type Sent, type StoredCommand } from "../ledger/sent.js";
import { rateGroupOf } from "./environment-schema.js";

/** The value that the store has under the name `parameters`. */
export interface StoredParameters extends EnvironmentParameters {
  /** If `serverTimeZone` is unknown, the IANA name of the zone that was in force before. */
  readonly keptTimeZone?: string;
}

export type SentValue = Pick<Sent, "name" | "source" | "receivedAt" | "fileUntil">;

export interface SentEnvironment {
  /** The environment; undefined until parameters and rates have arrived, and if the stored copy is damaged. */
  readonly environment: Omit<FiscalEnvironment, "timeZone"> | undefined;
  /** The IANA name of the zone; undefined if the authority has never sent a zone that we know. */
  readonly timeZone: string | undefined;
  /** Where the values in use come from. */
  readonly values: readonly SentValue[];
  readonly damaged: boolean;
}

/** What a person has to read: commands that wait for a yes, and changes that were made. */
export interface ToRead {
  readonly held: readonly StoredCommand[];
  /** Changes of rates or parameters that were in force, which a person has not seen yet. */
  readonly made: readonly (Omit<MadeChange, "what"> & { readonly changes: readonly ConfigurationChange[] })[];
}

const SHOWN_MS = 14 * 86_400_000;

type Stored = Pick<AuthorityLedger, "sent" | "heldCommands" | "madeChanges">;

export class SentEnvironments {
  private byUid: ReadonlyMap<string, SentEnvironment> = new Map();
  /** UID of the card for which the authority last sent something. */
  newestUid: string | undefined;
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
    this.newestUid = sent.at(-1)?.uid;
    this.byUid = environmentsIn(sent);
    const made = (await this.ledger.madeChanges()).map(({ what, ...change }) => {
      return { ...change, changes: JSON.parse(what) as ConfigurationChange[] };
    });
    this.unread = { held: await this.ledger.heldCommands(), made };
  }

  /** Returns what a person has to read, without the changes that are too old. */
  toRead(now: EpochMs): ToRead {
    const { held, made } = this.unread;
    return { held, made: made.filter(({ at }) => now - at < SHOWN_MS) };
  }

  /** @returns undefined if the authority has sent nothing for this card */
  of(uid: string): SentEnvironment | undefined {
    return this.byUid.get(uid);
  }
}

/** Returns the environments by the UID of the card. @param sent what the authority sent, in the order of sending */
export function environmentsIn(sent: readonly Sent[]): ReadonlyMap<string, SentEnvironment> {
  const uids = new Set(sent.map(({ uid }) => uid));
  return new Map([...uids].map((uid) => [uid, environmentIn(sent.filter((one) => one.uid === uid))]));
}

/** What there is of a card's configuration, also before it is complete. */
export interface SentSoFar {
  readonly parameters: EnvironmentParameters | undefined;
  readonly keptTimeZone: string | undefined;
  /** Addresses from commands, which replace those in the parameters. */
  readonly addresses: { readonly ntpServer?: string; readonly root?: string };
  readonly taxRates: readonly TaxRateGroup[];
}

/**
 * The newest value applies: an address from a command replaces the address in the parameters, and a group replaces an
 * earlier group with the same number.
 * @param sent intact values of one card, in the order of sending
 */
export function partsOf(sent: readonly Sent[]): SentSoFar {
  let taxRates: readonly TaxRateGroup[] = [];
  let stored: StoredParameters | undefined;
  let addresses: SentSoFar["addresses"] = {};
  for (const one of sent) {
    const { name, value } = one;
    switch (name) {
      case "rates":
        taxRates = [...withoutReplaced(taxRates, one), groupOf(one)];
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
  if (!stored) return { parameters: undefined, keptTimeZone: undefined, addresses, taxRates };
  const { keptTimeZone, ...sentParameters } = stored;
  const { root = stored.endpoints.root, ntpServer = stored.ntpServer } = addresses;
  const parameters = { ...sentParameters, endpoints: { ...stored.endpoints, root }, ntpServer };
  return { parameters, keptTimeZone, addresses, taxRates };
}

function groupOf({ value, receivedAt, fileUntil }: Sent): TaxRateGroup {
  const file = JSON.parse(value) as RateGroupFile;
  const group = rateGroupOf(file);
  if (fileUntil === null || fileUntil === NO_END) return group;
  return { ...group, chosen: { from: receivedAt, until: fileUntil } };
}

/** A file's group takes the place of the authority's group with this number only until the authority sends rates. */
function withoutReplaced(taxRates: readonly TaxRateGroup[], { value, fileUntil }: Sent): readonly TaxRateGroup[] {
  if (fileUntil !== null && fileUntil !== NO_END) return taxRates;
  const { groupId } = JSON.parse(value) as RateGroupFile;
  return taxRates.filter((group) => group.groupId !== groupId || group.chosen);
}

/** Builds the environment of one card from {@link partsOf}. */
export function environmentIn(sent: readonly Sent[]): SentEnvironment {
  // Parameters replace the addresses of earlier commands.
  const newest = sent.findLastIndex(({ name }) => name === "parameters");
  const values = sent.filter(({ name }, at) => name === "rates" || at >= newest);
  const nothing: SentEnvironment = { environment: undefined, timeZone: undefined, values, damaged: false };
  if (!sent.every(({ intact }) => intact)) return { ...nothing, damaged: true };
  const { parameters, keptTimeZone, taxRates } = partsOf(sent);
  if (!parameters || taxRates.length === 0) return nothing;
  const { serverTimeZone, country, supportedLanguages: tags } = parameters;
  const timeZone = ianaZone(serverTimeZone, country) ?? keptTimeZone;
  return { ...nothing, environment: { parameters, languages: supportedLanguages(tags, country), taxRates }, timeZone };
}
