/** A stage plays a scenario in a world of this process, or against a running service. */

import type { LookName, Looks } from "../../emulator/world/look.js";
import type { WorldStep } from "../../emulator/world/step-types.js";
import { type HttpAnswer, type HttpRequest, httpCall, onlineCall } from "./http-call.js";
import type { Scenario } from "./scenario.js";

/** Error of a stage that cannot do a step. The scenario counts as not applicable, never as passed. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";
  /** @param at the step that is not applicable, from 0. Default: the current step */
  constructor(
    message: string,
    readonly at?: number,
  ) {
    super(message);
  }
}

export interface Stage {
  /** Whether the service may be another maker's. The answers of such a service may have more fields. */
  readonly foreign: boolean;
  /** Returns the state of the card's life, which the coverage counts. Only a world of this process shows it. */
  lifeState?(): string;
  /** Sends a request to the service. Resolves to undefined if the connection broke before the answer was complete. */
  call(request: HttpRequest): Promise<HttpAnswer | undefined>;
  callOnline(request: HttpRequest): Promise<HttpAnswer | undefined>;
  act(step: WorldStep): Promise<void>;
  /** The state of card, store and authority that `check` steps compare. */
  state(): Promise<object>;
  close?(): Promise<void>;
}

/** Opens a stage. @throws NotApplicable if the stage cannot or may not play the scenario; then no request was sent */
export type OpenStage = (scenario: Pick<Scenario, "given" | "steps">) => Promise<Stage>;

/** A world that a stage plays in: a world of this process, or one behind a control interface. */
export interface StagedWorld {
  do(step: WorldStep): unknown;
  look<N extends LookName>(what: N): Looks[N] | Promise<Looks[N]>;
}

/** @param url returns the base URL of the world's service */
export function stageIn(world: StagedWorld, url: () => string): Stage {
  return {
    foreign: false,
    call: (request) => httpCall(url(), request),
    callOnline: async (request) => onlineCall(await world.look("vsdc"), request),
    act: async (step) => void (await world.do(step)),
    state: async () => {
      const { keptIn: _, ...store } = await world.look("store");
      const { standing } = await world.look("authority");
      const { inserted, pin, pinTriesLeft, counters, sum } = await world.look("card");
      const beside = { pin, store, ...(standing && { authority: standing }) };
      return inserted ? { counters, sum, pinTriesLeft, ...beside } : beside;
    },
  };
}
