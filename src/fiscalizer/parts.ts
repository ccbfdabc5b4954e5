/** What the sale needs: the card, the store, what applies now, and settings. */
import type { Logger } from "pino";
import type { Clock } from "../base/clock.js";
import type { EnvironmentInForce } from "../config/environment-in-force.js";
import type { Settings } from "../config/settings.js";
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { Ledger } from "../ledger/ledger.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import type { UnsentLimit } from "./gates.js";
import type { IntentSettings } from "./make-intent.js";
import type { StoreHealth } from "./store-health.js";

export interface FiscalizerParts {
  readonly secureElement: SecureElement;
  readonly ledger: Ledger;
  readonly audits: AuditLedger;
  readonly environment: Pick<EnvironmentInForce, "now">;
  readonly unsentLimit: UnsentLimit;
  readonly settings: IntentSettings & Pick<Settings, "queueLength" | "newCard">;
  readonly clock: Clock;
  readonly health: StoreHealth;
  readonly log: Pick<Logger, "fatal">;
  /** Returns the counter to which an emulated card was set; undefined for any other card. */
  readonly baseline?: ((uid: string) => number | undefined) | undefined;
}
