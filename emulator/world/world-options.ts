/** How a world is run, whatever it begins with. */
import type { Settings } from "../../src/config/settings.js";
import type { SettingsDesk } from "../../src/console/settings.js";
import type { Given } from "./given.js";

export interface WorldOptions {
  /** Whether latency really takes its time. */
  readonly realTime?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly logLevel?: Settings["logLevel"];
  /** Keeps store and cards; a temporary folder where absent. */
  readonly dataDir?: string;
  /** What every `given` of this world starts from. */
  readonly base?: Given;
  /** What everything random follows from, unless `given` has a seed. */
  readonly seed?: string;
  /** Whether QR codes lead to the emulated authority at this service's address. */
  readonly ownAuthority?: boolean;
  /** Where the console changes settings. */
  readonly settingsDesk?: SettingsDesk;
}
