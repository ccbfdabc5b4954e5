/** Determines the environment that applies now: what the store has or, if that is incomplete, the environment file. */
import type { EpochMs } from "../base/epoch-ms.js";
import { countryOf } from "../fiscal/countries.js";
import { type FiscalEnvironment, inLanguages } from "../fiscal/environment.js";
import { nearestLanguage, type ReceiptLanguage } from "../fiscal/language.js";
import { toIso } from "../fiscal/time.js";
import { ianaZone, machineZone } from "../fiscal/time-zone.js";
import type { SentName, SentSource } from "../ledger/sent.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import type { SentEnvironment, SentEnvironments, SentValue } from "./sent-environments.js";

export type EnvironmentSource =
  /** The environment is in the store: the authority has sent it, or a person has said yes to a file or a backup. */
  | { readonly kind: "store"; readonly values: readonly SentValue[] }
  /** The environment is from a file. `name`: the value of the setting `environment`. */
  | { readonly kind: "file"; readonly name: string }
  /** There is no usable environment. `damaged`: the store has one, but it is damaged. */
  | { readonly kind: "nothing"; readonly damaged: boolean };

export interface InForce {
  readonly environment: FiscalEnvironment | undefined;
  readonly source: EnvironmentSource;
  readonly unusable: Unusable;
}

export interface Unusable {
  /** Name of a time zone that we do not know. Another zone is in force. */
  readonly timeZone: string | undefined;
  /** Tags of languages that we cannot print. */
  readonly languages: readonly string[];
}

const ALL_USABLE: Unusable = { timeZone: undefined, languages: [] };

/** The environment according to the shop's settings. */
export interface ConfiguredEnvironment {
  /** The content of the file; undefined if no file is configured. */
  readonly file: FiscalEnvironment | undefined;
  readonly fileName: string;
  readonly languages: readonly ReceiptLanguage[] | undefined;
}

export class EnvironmentInForce {
  /** UID of the card that was in the reader last. Its configuration is shown while no card is in the reader. */
  private lastUid: string | undefined;
  private result: InForce | undefined;
  /** What the result was made from, which seldom changes. */
  private sent: SentEnvironment | undefined;
  private file: FiscalEnvironment | undefined;
  private country: string | undefined;

  /** @param configured read at each use, because an emulated authority may change the environment of its online service */
  constructor(
    private readonly secureElement: Pick<SecureElement, "state">,
    private readonly ofCards: Pick<SentEnvironments, "of" | "newestUid">,
    private readonly configured: { readonly environment: FiscalEnvironment | undefined },
    private readonly settings: Omit<ConfiguredEnvironment, "file">,
  ) {}

  /** @param state the card's state, if the caller has it */
  now(state = this.secureElement.state): InForce {
    const identity = state.kind === "ready" ? state.identity : undefined;
    if (identity) this.lastUid = identity.uid;
    const uid = this.lastUid ?? this.ofCards.newestUid;
    const sent = uid === undefined ? undefined : this.ofCards.of(uid);
    const { environment: file } = this.configured;
    const country = identity?.country;
    if (!this.result || sent !== this.sent || file !== this.file || country !== this.country) {
      this.result = inForce(sent, { ...this.settings, file }, country);
      [this.sent, this.file, this.country] = [sent, file, country];
    }
    return this.result;
  }
}

/** @param sent what the authority has sent for the card @param country of the card's certificate, two letters */
function inForce(
  sent: SentEnvironment | undefined,
  { file, fileName, languages }: ConfiguredEnvironment,
  country: string | undefined,
): InForce {
  const unusable = ALL_USABLE;
  // The file applies until the authority has sent everything, but it does not replace damaged values of the store.
  if (sent?.damaged) return { environment: undefined, source: { kind: "nothing", damaged: true }, unusable };
  if (sent?.environment) {
    const ofCountry = country === undefined ? undefined : countryOf(country)?.timeZone.value;
    const timeZone = sent.timeZone ?? file?.timeZone ?? ofCountry ?? machineZone();
    return {
      environment: inLanguages({ ...sent.environment, timeZone }, languages),
      source: { kind: "store", values: sent.values },
      unusable: unusableIn(sent),
    };
  }
  if (!file) return { environment: undefined, source: { kind: "nothing", damaged: false }, unusable };
  return { environment: inLanguages(file, languages), source: { kind: "file", name: fileName }, unusable };
}

function unusableIn({ environment }: SentEnvironment): Unusable {
  if (!environment) return ALL_USABLE;
  const { serverTimeZone, country, supportedLanguages } = environment.parameters;
  return {
    timeZone: ianaZone(serverTimeZone, country) === undefined ? serverTimeZone : undefined,
    languages: supportedLanguages.filter((tag) => nearestLanguage(tag) === undefined),
  };
}

/** Names of the values in `environment-parameters` and in the status. */
const NAMES = {
  rates: "taxRates",
  parameters: "parameters",
  timeServer: "ntpServer",
  verificationRoot: "root",
} as const satisfies Record<SentName, string>;

/** Returns the sources of values of the store; several sources name their values. `since`: of the newest value. */
export function sourcesOf(values: readonly SentValue[], now: EpochMs) {
  const used = values.filter(({ fileUntil }) => fileUntil === null || fileUntil > now);
  return [...new Set(used.map(({ source }) => source))].map((source, _, { length }) => {
    const all = used.filter((value) => value.source === source);
    const names = [...new Set(all.map(({ name }) => NAMES[name]))].join(", ");
    const since = toIso(Math.max(...all.map(({ receivedAt }) => receivedAt)));
    return { source, values: length > 1 ? ` (${names})` : "", since };
  });
}

const FROM = {
  authority: "tax authority",
  file: "imported file",
  backup: "restored backup",
} as const satisfies Record<SentSource, string>;

/**
 * Describes the source for people, such as `tax authority, since 2026-03-01T12:00:00.000Z`; "" if nothing is
 * configured.
 * @param isMeant leaves out other values
 */
export function describeSource(source: EnvironmentSource, now: EpochMs, isMeant = (_: SentName) => true): string {
  switch (source.kind) {
    case "store":
      return sourcesOf(
        source.values.filter(({ name }) => isMeant(name)),
        now,
      )
        .map(({ source: from, values, since }) => `${FROM[from]}${values}, since ${since}`)
        .join("; ");
    case "file":
      return `file ${source.name}`;
    case "nothing":
      return source.damaged ? "damaged in the store" : "";
  }
}
