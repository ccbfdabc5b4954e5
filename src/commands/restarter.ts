/** Brings saved settings into force: the service is stopped and started again in the same process. */
import type { LoadedConfig } from "../config/load.js";
import type { Settings } from "../config/settings.js";
import type { SettingsDesk } from "../console/settings.js";

export class Restarter implements SettingsDesk {
  private problem: string | null = null;
  private underWay: Promise<void> = Promise.resolve();
  private asked = false;

  /**
   * @param inForce what the service was started with
   * @param load flags, variables and file as they are now
   * @param restartWith stops the service if it runs, and starts it
   * @param gaveUp told where not even the old settings start it any more
   */
  constructor(
    private inForce: Settings,
    readonly load: () => LoadedConfig,
    private readonly restartWith: (settings: Settings) => Promise<void>,
    private readonly gaveUp: (error: unknown) => void,
  ) {}

  readonly running = (): Settings => this.inForce;
  readonly failed = (): string | null => this.problem;

  /** Asked for twice at once, it happens once. */
  readonly restart = (): void => {
    if (this.asked) return;
    this.asked = true;
    this.underWay = this.underWay.then(() => this.bringIntoForce()).catch(this.gaveUp);
  };

  /** Once no restart is under way. */
  settled(): Promise<void> {
    return this.underWay;
  }

  /** A till that stops is a closed shop: what does not start with the new settings starts with the old ones. */
  private async bringIntoForce(): Promise<void> {
    this.asked = false;
    const settings = this.loaded();
    if (!settings) return;
    try {
      await this.restartWith(settings);
      this.inForce = settings;
      this.problem = null;
    } catch (error) {
      this.fail(error);
      await this.restartWith(this.inForce);
    }
  }

  /** Undefined where a file is broken: then the service is better left alone. */
  private loaded(): Settings | undefined {
    try {
      return this.load().settings;
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  private fail(error: unknown): void {
    this.problem = error instanceof Error ? error.message : String(error);
  }
}
