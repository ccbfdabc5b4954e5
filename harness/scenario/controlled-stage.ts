/** A stage in a running emulator, whose control interface loads the `given` of each scenario. */

import type { Given } from "../../emulator/world/given.js";
import type { LookName, Looks } from "../../emulator/world/look.js";
import { messageOf } from "../../src/base/thrown.js";
import { UserError } from "../../src/base/user-error.js";
import type { ValuePath } from "../../src/base/wrong-value.js";
import { ConfigError } from "../../src/config/config-error.js";
import { type HttpAnswer, httpCall } from "./http-call.js";
import { fieldsOf, jsonIn } from "./json.js";
import { CONTROL_PREFIX, requireControl } from "./remote.js";
import { NotApplicable, type OpenStage, type Stage, type StagedWorld, stageIn } from "./stage.js";

/**
 * Calls one control interface.
 * @throws UserError if the interface cannot be reached or another program answers; ControlRefusal if the interface
 * refuses the call or the connection breaks
 */
export type Control = (method: string, path: string, body?: unknown) => Promise<unknown>;

const OWN_MACHINE = ["localhost", "127.0.0.1", "[::1]"];

class ControlRefusal extends UserError {
  /** @param answer undefined if the connection broke */
  constructor(
    message: string,
    readonly answer: HttpAnswer | undefined,
  ) {
    super(message);
  }
}

export function controlAt(controlUrl: string): Control {
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
    const request = {
      method,
      path: CONTROL_PREFIX + path,
      headers: { "Content-Type": "application/json" },
      ...sent,
    };
    const answer = await httpCall(controlUrl, request).catch((error: unknown) => {
      const reason = messageOf(error);
      throw new UserError(`no whole answer from the control interface at ${controlUrl}: ${reason}`);
    });
    if (!answer || answer.status >= 400) {
      if (answer) requireControl(controlUrl, answer.status, answer.text);
      const outcome = answer ? `${answer.status} ${answer.text}` : "nothing, the connection broke";
      throw new ControlRefusal(`the control interface answers ${method} ${request.path} with ${outcome}`, answer);
    }
    const content = jsonIn(answer.text);
    if (content !== undefined || answer.text === "") return content;
    throw new UserError(`what answers at ${controlUrl} is not a control interface`);
  };
}

/** Starts the world behind the control interface from a `given`. @throws ConfigError if the `given` is wrong */
export async function beginGiven(control: Control, given: Given, options: { realTime: boolean }): Promise<void> {
  const clock = { realTime: options.realTime, ...given.clock };
  await control("POST", "/given", { ...given, clock }).catch((error: unknown) => {
    throw asWrongGiven(error);
  });
}

/** Opens stages in the world behind the control interface. Each scenario starts from its `given`. */
export function openControlledStage(baseUrl: string, control: Control, options: { realTime: boolean }): OpenStage {
  return async ({ given }): Promise<Stage> => {
    if (given.vsdc && isElsewhere(baseUrl)) {
      throw new NotApplicable("the online service of an emulator answers on the emulator's own machine only");
    }
    await beginGiven(control, given, options);
    const world: StagedWorld = {
      do: (step) => control("POST", "/do", step),
      look: async <N extends LookName>(what: N) => (await control("GET", `/${what}`)) as Looks[N],
    };
    return stageIn(world, () => baseUrl);
  };
}

/** Whether the service runs on another machine or in a container. */
function isElsewhere(baseUrl: string): boolean {
  return !OWN_MACHINE.includes(new URL(baseUrl).hostname);
}

type CallRecord = { readonly message?: string; readonly details?: readonly string[]; readonly path?: ValuePath };

/** Makes a ConfigError of a refused `given`, because the mistake is in the scenario's file. */
function asWrongGiven(error: unknown): unknown {
  if (!(error instanceof ControlRefusal) || error.answer?.status !== 400) return error;
  const { message = error.message, details = [], path } = fieldsOf(jsonIn(error.answer.text)) as CallRecord;
  return new ConfigError(details.length === 0 ? message : details.map((detail) => `given.${detail}`).join("; "), path);
}
