/** The authority's state: cards, commands and all rate groups. The authority writes the state after each change. */

import type { Random } from "../../src/base/random.js";
import type { FiscalEnvironment } from "../../src/fiscal/environment.js";
import type { TaxRateGroup } from "../../src/fiscal/tax.js";
import { type AuthorityFiles, parseRegister, registerJson } from "./authority-files.js";
import { CommandQueue, type QueuedCommand } from "./command-queue.js";
import { environmentOf, environmentRecord, withGroups } from "./environment-commands.js";
import type { Card } from "./registered.js";

interface Register {
  readonly cards: readonly Card[];
  readonly commands: readonly QueuedCommand[];
  readonly environment?: object;
  readonly everyGroup?: object;
}

export class OfficeState {
  private readonly cards = new Map<string, Card>();
  readonly queue: CommandQueue;
  environment: FiscalEnvironment | undefined;
  groups: readonly TaxRateGroup[] = [];

  /** @throws ConfigError if the register is damaged */
  constructor(
    private readonly files: AuthorityFiles,
    random: Random,
  ) {
    const json = files.readRegister();
    const kept = json === null ? undefined : (parseRegister(json) as Register);
    for (const card of kept?.cards ?? []) this.cards.set(card.uid, card);
    this.queue = new CommandQueue(random, kept?.commands);
    if (kept?.environment) this.environment = environmentOf(kept.environment);
    if (kept?.everyGroup) this.groups = environmentOf(kept.everyGroup).taxRates;
  }

  card(uid: string): Card | undefined {
    return this.cards.get(uid);
  }

  /** All cards, in the order of their registration. */
  get all(): readonly Card[] {
    return [...this.cards.values()];
  }

  put(card: Card): void {
    this.cards.set(card.uid, card);
    this.save();
  }

  setEnvironment(environment: FiscalEnvironment): void {
    this.environment = environment;
    this.groups = withGroups(this.groups, environment.taxRates);
    this.save();
  }

  save(): void {
    const { environment, groups: taxRates } = this;
    const environments = environment && {
      environment: environmentRecord(environment),
      everyGroup: environmentRecord({ ...environment, taxRates }),
    };
    const register: Register = { cards: this.all, commands: this.queue.all, ...environments };
    this.files.writeRegister(registerJson(register));
  }
}
