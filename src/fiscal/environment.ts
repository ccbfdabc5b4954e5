/** The settings that a tax authority makes for its shops: environment parameters and tax rates. */
import { asSupported, type ReceiptLanguage, type SupportedLanguage } from "./language.js";
import type { TaxCategory, TaxRateGroup } from "./tax.js";

/**
 * Environment parameters record (docs/interface.md, "Resources"), in the authority's own spelling. A sale needs
 * `endpoints.root` only; the other texts may be "".
 */
export interface EnvironmentParameters {
  readonly organizationName: string;
  /** Name of a time zone by IANA or by Windows, or an unknown name. Sales use {@link FiscalEnvironment.timeZone}. */
  readonly serverTimeZone: string;
  readonly street: string;
  readonly city: string;
  readonly country: string;
  readonly endpoints: {
    readonly taxpayerAdminPortal: string;
    readonly taxAuthorityApi: string;
    readonly vsdc: string;
    /** The beginning of a verification URL, before the base64. */
    readonly root: string;
  };
  readonly environmentName: string;
  readonly logo: string;
  /** Time server: an address or only a host (src/fiscal/time-server.ts). */
  readonly ntpServer: string;
  /** Language tags from the authority. Sales use {@link FiscalEnvironment.languages}. */
  readonly supportedLanguages: readonly string[];
}

/** The environment that the service uses for sales. */
export interface FiscalEnvironment {
  readonly parameters: EnvironmentParameters;
  /** IANA's name of the time zone. */
  readonly timeZone: string;
  /** At least one language; the first is the default. */
  readonly languages: readonly SupportedLanguage[];
  /** At least one group of tax rates. */
  readonly taxRates: readonly TaxRateGroup[];
}

/** An environment in the form of its file: times as text, rates as numbers. */
export interface EnvironmentFile {
  readonly parameters: EnvironmentParameters;
  readonly taxRates: readonly RateGroupFile[];
}

/** A group of tax rates as the environment file and the tax authority write it. */
export interface RateGroupFile {
  readonly groupId: number;
  readonly validFrom: string;
  readonly taxCategories: readonly TaxCategory<number>[];
}

/** @param languages replace the languages of the environment; undefined keeps those of the environment */
export function inLanguages(
  environment: FiscalEnvironment,
  languages: readonly ReceiptLanguage[] | undefined,
): FiscalEnvironment {
  if (!languages) return environment;
  const parameters = { ...environment.parameters, supportedLanguages: languages };
  return { ...environment, parameters, languages: asSupported(languages) };
}
