/** A stage that makes a new world in this process for each scenario. */
import { PAIR_LETTERS } from "../../emulator/card/pair-letters.js";
import { type ClockPatch, patchClock } from "../../emulator/faults/emulated-clock.js";
import type { Fault } from "../../emulator/faults/fault.js";
import type { VsdcFaults } from "../../emulator/tax-authority/vsdc/vsdc-faults.js";
import { type AuthorityAct, isDone, outcomeText } from "../../emulator/world/authority-actions.js";
import { patchCard } from "../../emulator/world/card-bench.js";
import type { Given } from "../../emulator/world/given.js";
import { World } from "../../emulator/world/world.js";
import { isAuditDue, isLimitReached } from "../../src/fiscal/limit.js";
import { toDecimalText } from "../../src/fiscal/money.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { type HttpAnswer, type HttpRequest, httpCall } from "./http-call.js";
import { onlineCall } from "./online-call.js";
import type { AuthorityAction, CardAction, CardAtAuthority, ServiceAction } from "./scenario.js";
import type { CheckedState, Stage } from "./stage.js";

export class WorldStage implements Stage {
  readonly foreign = false;

  constructor(readonly world: World) {}

  static async open(given: Given, options: { realTime: boolean }): Promise<WorldStage> {
    return new WorldStage(await World.open(given, options));
  }

  get traffic(): TrafficLog {
    return this.world.traffic;
  }

  lifeState(): string {
    return lifeState(this.world);
  }

  call(request: HttpRequest): Promise<HttpAnswer | undefined> {
    return httpCall(this.world.url, request);
  }

  async callOnline(request: HttpRequest): Promise<HttpAnswer | undefined> {
    const access = this.world.onlineAccess();
    return onlineCall({ ...access, url: this.world.vsdc?.url ?? "" }, request);
  }

  async vsdc(faults: Partial<VsdcFaults>): Promise<void> {
    this.world.requireVsdc().setFaults(faults);
  }

  async card(action: CardAction): Promise<void> {
    const { reader } = this.world;
    if (typeof action === "object") {
      if ("swap" in action) await this.world.insert(action.swap);
      else await patchCard(this.world, action.patch);
    } else if (action === "insert") await this.world.insert();
    else reader[action]();
  }

  async clock(patch: ClockPatch): Promise<void> {
    patchClock(this.world.clock, patch);
  }

  async service(action: ServiceAction): Promise<void> {
    await this.world.restart(action === "kill" ? "killed" : "clean");
  }

  async authority(action: AuthorityAction): Promise<void> {
    const { world } = this;
    const acts = {
      audit: () => world.audits.audit(),
      "start-audit": () => world.audits.start(),
      "end-audit": () => world.audits.end(),
      disable: () => world.audits.directive("disable"),
      enable: () => world.audits.directive("enable"),
    };
    if (typeof action === "object" || !(action in acts)) {
      await world.audits.act(action as AuthorityAct);
      return;
    }
    const { kind: outcome } = await acts[action as CardAtAuthority]();
    if (!isDone(outcome)) throw new Error(`${action}: ${outcomeText(outcome)}`);
  }

  async faults(faults: readonly Fault[] | "clear"): Promise<void> {
    if (faults === "clear") this.world.faults.clear();
    else for (const fault of faults) this.world.faults.add(fault);
  }

  async state(): Promise<CheckedState> {
    const { card, pinState, service } = this.world;
    const { stored } = service;
    const authority = this.world.audits.status();
    const beside = authority ? { authority } : {};
    if (!card) return { pin: pinState, store: stored, ...beside };
    const { totalCounter, pairCounters, sum, pinTriesLeft } = card.memory.load();
    const pairs = PAIR_LETTERS.map((letters, i) => [letters, pairCounters[i] ?? 0]);
    const counters = { total: totalCounter, ...Object.fromEntries(pairs) };
    return { counters, sum: toDecimalText(sum), pinTriesLeft, pin: pinState, store: stored, ...beside };
  }

  async close(): Promise<void> {
    await this.world.close();
  }
}

export type LifeState =
  | "no reader"
  | "no card"
  | "not configured"
  | "PIN needed"
  | "ready"
  | "audit recommended"
  | "blocked"
  | "PIN locked"
  | "disabled";

export function lifeState(world: World): LifeState {
  if (world.reader.slot === "no-reader") return "no reader";
  if (!world.card) return "no card";
  const { pinTriesLeft, disabled, sum, limit } = world.card.memory.load();
  if (pinTriesLeft === 0) return "PIN locked";
  if (disabled) return "disabled";
  if (!world.service.configured) return "not configured";
  if (world.pinState !== "verified") return "PIN needed";
  if (isLimitReached({ sum, limit })) return "blocked";
  return isAuditDue({ sum, limit }) ? "audit recommended" : "ready";
}
