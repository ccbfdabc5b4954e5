/** Applies saved settings: stops the service and starts it again in the same process. */
import { messageOf } from "../base/thrown.js";
import type { LoadedConfig } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import { consoleSettings } from "../config/settings-file.js";
import type { SettingsAccess } from "../console/settings.js";

interface Restartable<Prepared> {
  /** Reads the flags, the variables and the file as they are now. @throws ConfigError */
  readonly load: () => LoadedConfig;
  /** Reads and checks all settings while the service still runs. @throws ConfigError */
  readonly prepare: (settings: Settings) => Prepared;
  /** Stops the service if it runs, and starts it. @param before what the last service that listened was prepared with */
  readonly replace: (next: Prepared, before: Prepared) => Promise<void>;
  /** Called if the service does not start again, even with the old settings. */
  readonly gaveUp: (error: unknown) => void;
}

export class Restarter<Prepared> implements SettingsAccess {
  private problem: string | null = null;
  private underWay: Promise<void> = Promise.resolve();
  private asked = false;
  private closed = false;

  /** @param prepared made from these settings; the running service uses it */
  constructor(
    private settings: Settings,
    private prepared: Prepared,
    private readonly service: Restartable<Prepared>,
  ) {}

  readonly load = (): LoadedConfig => this.service.load();
  readonly running = (): Settings => this.settings;
  readonly failed = (): string | null => this.problem;

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

  /** Keeps the running service if the new settings are not valid, and the old settings if it does not start with them. */
  private async bringIntoForce(): Promise<void> {
    this.asked = false;
    if (this.closed) return;
    let isReplaced = false;
    try {
      // Other settings, such as card or data folder, need a new process.
      const settings = { ...this.settings, ...consoleSettings(this.load().settings) };
      const prepared = this.service.prepare(settings);
      isReplaced = true;
      await this.service.replace(prepared, this.prepared);
      this.settings = settings;
      this.prepared = prepared;
      this.problem = null;
    } catch (error) {
      this.problem = messageOf(error);
      if (isReplaced) await this.service.replace(this.prepared, this.prepared);
    }
  }
}
