/** The environment that applies now, and its source: the authority, or else the file. */
import { type FiscalEnvironment, inLanguages } from "../fiscal/environment.js";
import type { ReceiptLanguage } from "../fiscal/language.js";
import { toIso } from "../fiscal/time.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import type { SentEnvironments } from "./sent-environments.js";

export type EnvironmentSource =
  /** `since`: when the newest part of it came, ms since the epoch. */
  | { readonly from: "authority"; readonly since: number }
  /** `name`: the value of the setting `environment`. */
  | { readonly from: "file"; readonly name: string }
  /** `damaged`: the authority has sent an environment, but the store's copy is damaged. */
  | { readonly from: "nothing"; readonly damaged: boolean };

export interface InForce {
  readonly environment: FiscalEnvironment | undefined;
  readonly source: EnvironmentSource;
}

/** What a shop's settings say. */
export interface ConfiguredEnvironment {
  /** Undefined where no file is configured. */
  readonly file: FiscalEnvironment | undefined;
  readonly fileName: string;
  readonly languages: readonly ReceiptLanguage[] | undefined;
}

export class EnvironmentInForce {
  /** The card that was in the reader last: its configuration is shown while it is out. */
  private lastUid: string | undefined;

  constructor(
    private readonly secureElement: Pick<SecureElement, "state">,
    private readonly sent: SentEnvironments,
    private readonly configured: ConfiguredEnvironment,
  ) {}

  now(): InForce {
    const { file, fileName, languages } = this.configured;
    const sent = this.uid === undefined ? undefined : this.sent.of(this.uid);
    // Until everything has arrived, the file applies. Damaged rates are not replaced by others.
    if (sent?.damaged) return { environment: undefined, source: { from: "nothing", damaged: true } };
    if (sent?.environment) {
      return {
        environment: inLanguages(sent.environment, languages),
        source: { from: "authority", since: sent.since },
      };
    }
    if (!file) return { environment: undefined, source: { from: "nothing", damaged: false } };
    return { environment: inLanguages(file, languages), source: { from: "file", name: fileName } };
  }

  private get uid(): string | undefined {
    const { state } = this.secureElement;
    if (state.card === "ready") this.lastUid = state.identity.uid;
    return this.lastUid ?? this.sent.newestUid;
  }
}

/** For people: `tax authority, since 2026-03-01T12:00:00.000Z`; "" if nothing is configured. */
export function describeSource(source: EnvironmentSource): string {
  switch (source.from) {
    case "authority":
      return `tax authority, since ${toIso(source.since)}`;
    case "file":
      return `file ${source.name}`;
    case "nothing":
      return source.damaged ? "tax authority, damaged in the store" : "";
  }
}
