/**
 * Writes the current settings, rates and parameters, and changes of the clock, into the record of changes, without
 * secrets. The recorder checks them at intervals, beside the sales, so no sale waits for it.
 */
import type { EpochMs } from "../../base/epoch-ms.js";
import { PACKAGE_VERSION } from "../../base/package-root.js";
import { type Background, Repeater } from "../../base/repeater.js";
import { waitAtMost } from "../../base/wait-at-most.js";
import { describeSource, type InForce } from "../../config/environment-in-force.js";
import { SETTING_NAMES, SETTINGS, type Settings } from "../../config/settings.js";
import type { EnvironmentParameters, FiscalEnvironment } from "../../fiscal/environment.js";
import { toDecimalText } from "../../fiscal/money.js";
import { rateGroupAt } from "../../fiscal/tax.js";
import { toIso } from "../../fiscal/time.js";
import type { ChangeFacts, ChangeKind, ChangeLog } from "../../ledger/change-log.js";
import type { ClockCheck } from "../../state/time-watch.js";

const CHANGE_CHECK_INTERVAL_MS = 30_000;
/** ms by which clock and timer may drift apart between checks, because time servers correct clocks in steps. */
const JUMP_MS = 2_000;
/** ms that the service waits for the last write when it ends. */
const END_MS = 100;

interface RecorderParts extends Omit<Background, "changed"> {
  readonly changes: ChangeLog;
  readonly settings: Settings;
  readonly inForce: () => InForce;
  readonly clockCheck: () => ClockCheck | undefined;
}

type LastingKind = Exclude<ChangeKind, "clock" | "erased" | "card" | "lost">;

export class ChangeRecorder extends Repeater {
  private readonly known = new Map<LastingKind, ChangeFacts | undefined>();
  /** Clock and timer at the last check, in ms. */
  private seen: { readonly clock: number; readonly timer: number } | undefined;
  private wasOff = false;
  private hasBegun = false;

  constructor(private readonly parts: RecorderParts) {
    super(() => this.check(), parts.timer, CHANGE_CHECK_INTERVAL_MS);
  }

  /**
   * Called before the first sale: records version and settings, and whether the clock went back while the service was
   * stopped. Later it records what has changed. Never throws: the next check tries again, and sales report problems of
   * the store themselves.
   */
  async check(): Promise<void> {
    try {
      if (!this.hasBegun) return await this.beginning();
      await this.clockNow();
      await this.environmentNow();
    } catch (error) {
      this.parts.log.warn({ err: error }, "the record of changes cannot be written");
    }
  }

  private async beginning(): Promise<void> {
    const { changes, clock, settings } = this.parts;
    for (const kind of ["program", "settings", "rates", "parameters"] as const) {
      this.known.set(kind, await changes.last(kind));
    }
    const lastAt = await changes.lastAt();
    const now = clock.now();
    if (lastAt !== undefined && now < lastAt) await this.clockMoved("back since the last change", lastAt, now);
    await this.inForceNow("program", { version: PACKAGE_VERSION });
    await this.inForceNow("settings", settingsFacts(settings));
    await this.environmentNow();
    this.hasBegun = true;
  }

  override async stop(): Promise<void> {
    await waitAtMost(END_MS, super.stop());
  }

  private async environmentNow(): Promise<void> {
    const { inForce, clock } = this.parts;
    const { environment, source } = inForce();
    const now = clock.now();
    const ratesFrom = describeSource(source, now, (name) => name === "rates");
    const parametersFrom = describeSource(source, now, (name) => name !== "rates");
    await this.inForceNow("rates", ratesFacts(environment, ratesFrom, now));
    await this.inForceNow("parameters", parametersFacts(environment?.parameters, parametersFrom));
  }

  private async inForceNow(kind: LastingKind, facts: ChangeFacts): Promise<void> {
    const before = this.known.get(kind);
    const nothingYet = before === undefined && Object.keys(facts).length === 0;
    const sorted = (one: ChangeFacts) => JSON.stringify(Object.entries(one).toSorted());
    if (nothingYet || (before !== undefined && sorted(before) === sorted(facts))) return;
    await this.append(kind, facts);
    this.known.set(kind, facts);
  }

  private async clockNow(): Promise<void> {
    const { clock, timer, clockCheck } = this.parts;
    const now = { clock: clock.now(), timer: timer.now() };
    const before = this.seen;
    const expected = before && before.clock + (now.timer - before.timer);
    if (expected !== undefined && Math.abs(now.clock - expected) > JUMP_MS) {
      // The text names sleep, too, because timers stop while the machine sleeps.
      const how = now.clock < expected ? "set back" : "set forward, or the machine slept";
      await this.clockMoved(how, expected, now.clock);
    }
    // Set this after the write, so that the next check notices a jump again if it could not be written.
    this.seen = now;
    const check = clockCheck();
    if (!check || check.ahead === undefined || check.off === this.wasOff) return;
    const { server, ahead, off } = check;
    const drift = { clock: off ? "differs from the time server" : "agrees with the time server again" };
    await this.append("clock", { ...drift, server, aheadSeconds: seconds(ahead) });
    this.wasOff = off;
  }

  private clockMoved(clock: string, from: number, to: number): Promise<void> {
    return this.append("clock", { clock, from: toIso(from), to: toIso(to), bySeconds: seconds(to - from) });
  }

  private async append(kind: ChangeKind, facts: ChangeFacts): Promise<void> {
    const { changes, clock } = this.parts;
    await changes.append({ at: clock.now(), kind, what: facts });
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

/** The settings that have a value; lists become texts with commas. */
function settingsFacts(settings: Settings): ChangeFacts {
  const facts: Record<string, string> = {};
  for (const name of SETTING_NAMES) {
    const value = settings[name];
    if (value === undefined) continue;
    const shown = Array.isArray(value) ? value.join(", ") : String(value);
    facts[name] = SETTINGS[name].secret ? "(set, not shown)" : shown;
  }
  return facts;
}

/** The current rates as facts; empty without an environment. @param source where the rates come from, for people */
function ratesFacts(environment: FiscalEnvironment | undefined, source: string, now: EpochMs): ChangeFacts {
  const group = environment && rateGroupAt(environment.taxRates, now);
  if (!group) return {};
  const rates = group.taxCategories.flatMap(({ taxRates }) => taxRates);
  return {
    source,
    groupId: String(group.groupId),
    validFrom: toIso(group.validFrom),
    ...Object.fromEntries(rates.map(({ label, rate }) => [label, toDecimalText(rate)])),
  };
}

/** The parameters as facts; empty without an environment. @param source where the parameters come from, for people */
function parametersFacts(parameters: EnvironmentParameters | undefined, source: string): ChangeFacts {
  if (!parameters) return {};
  const { endpoints, supportedLanguages, logo: _, ...rest } = parameters;
  return { source, ...rest, ...endpoints, supportedLanguages: supportedLanguages.join(", ") };
}
