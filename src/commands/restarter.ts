/** Applies saved settings: stops the service and starts it again in the same process. */

import { messageOf } from "../base/thrown.js";
import type { LoadedConfig } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import { consoleSettings } from "../config/settings-file.js";
import type { SettingsAccess } from "../console/settings.js";

export interface Restartable<Prepared> {
  /** Reads the flags, the variables and the file as they are now. @throws ConfigError */
  readonly load: () => LoadedConfig;
  /** Reads and checks all settings while the service still runs. @throws ConfigError */
  readonly prepare: (settings: Settings) => Prepared;
  /** Stops the service if it runs, and starts it. */
  readonly replace: (prepared: Prepared) => Promise<void>;
  /** Called if the service does not start again, even with the old settings. */
  readonly gaveUp: (error: unknown) => void;
}

export class Restarter<Prepared> implements SettingsAccess {
  private problem: string | null = null;
  private underWay: Promise<void> = Promise.resolve();
  private asked = false;
  private closed = false;

  /**
   * @param settings of the service that runs
   * @param prepared made from these settings; the running service uses it
   */
  constructor(
    private settings: Settings,
    private prepared: Prepared,
    private readonly service: Restartable<Prepared>,
  ) {}

  readonly running = (): Settings => this.settings;
  readonly failed = (): string | null => this.problem;
  readonly load = (): LoadedConfig => this.service.load();

  /** Restarts the service. Several calls at the same time restart it once. */
  readonly restart = (): void => {
    if (this.asked || this.closed) return;
    this.asked = true;
    this.problem = null;
    this.underWay = this.underWay.then(() => this.bringIntoForce()).catch(this.service.gaveUp);
  };

  /** Prevents further restarts; resolves when no restart is under way. */
  close(): Promise<void> {
    this.closed = true;
    return this.underWay;
  }

  /**
   * Starts the service with the new settings. If that fails, starts it with the old settings, because the shop must be
   * able to sell.
   */
  private async bringIntoForce(): Promise<void> {
    this.asked = false;
    if (this.closed) return;
    const next = this.next();
    if (!next) return;
    try {
      await this.service.replace(next.prepared);
      this.settings = next.settings;
      this.prepared = next.prepared;
      this.problem = null;
    } catch (error) {
      this.fail(error);
      await this.service.replace(this.prepared);
    }
  }

  /**
   * The settings for the restart; undefined if the settings are not valid. In that case the running service is not
   * stopped.
   */
  private next(): { settings: Settings; prepared: Prepared } | undefined {
    try {
      // Other settings, such as card or data folder, need a new process.
      const settings = { ...this.settings, ...consoleSettings(this.load().settings) };
      return { settings, prepared: this.service.prepare(settings) };
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  private fail(error: unknown): void {
    this.problem = messageOf(error);
  }
}
