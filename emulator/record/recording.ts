/** Traffic written down as a scenario while it happens, so that a problem in the field becomes a test. */
import { appendFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { stringify } from "yaml";
import { systemClock } from "../../src/clock.js";
import { ConfigError } from "../../src/config/load.js";
import { toIso } from "../../src/fiscal/time.js";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import type { Step } from "../scenario/scenario.js";
import type { Given } from "../world/given.js";
import type { Journal } from "../world/journal.js";
import { ExchangeRecorder } from "./recorded-exchange.js";

/** A long line is easier to read in a scenario than one that is folded. */
const FORM = { lineWidth: 0 } as const;

export class Recording {
  private exchanges: ExchangeRecorder;

  /**
   * @param begins what the world is like now, for the `given` of the scenario
   * @param failed told once, where the file cannot be written any more; the till must not suffer from it
   * @throws ConfigError where the file cannot be written at all
   */
  constructor(
    private readonly file: string,
    private readonly begins: () => Given,
    private failed: ((reason: string) => void) | undefined,
  ) {
    this.exchanges = this.newExchanges();
    try {
      writeFileSync(file, this.head());
    } catch (error) {
      throw new ConfigError(`the recording cannot be written: ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Writes down every exchange from now on. */
  follow(journal: Journal): void {
    journal.on("entry", (entry, body) =>
      this.write(() => appendFileSync(this.file, item(this.exchanges.step(entry, body)))),
    );
  }

  /** What happens to card, clock or service besides the traffic. */
  steps(steps: readonly Step[]): void {
    this.write(() => appendFileSync(this.file, steps.map(item).join("")));
  }

  /** Starts again from the world as it is now; what stands in the file is gone. */
  begin(): void {
    this.write(() => {
      this.exchanges = this.newExchanges();
      writeFileSync(this.file, this.head());
    });
  }

  private newExchanges(): ExchangeRecorder {
    const { pin = "1234" } = (this.begins().card ?? {}) as { pin?: string };
    return new ExchangeRecorder(pin);
  }

  private head(): string {
    const schema = relative(dirname(resolve(this.file)), join(PACKAGE_ROOT, "scenarios", "schema.json"));
    const name = `Recorded on ${toIso(systemClock.now()).slice(0, 16).replace("T", " at ")} UTC`;
    return `# yaml-language-server: $schema=${schema}\n${stringify({ name, given: this.begins() }, FORM)}steps:\n`;
  }

  private write(writing: () => void): void {
    if (!this.failed) return;
    try {
      writing();
    } catch (error) {
      this.failed(error instanceof Error ? error.message : String(error));
      this.failed = undefined;
    }
  }
}

function item(step: Step): string {
  return stringify([step], FORM).replace(/^(?=.)/gm, "  ");
}
