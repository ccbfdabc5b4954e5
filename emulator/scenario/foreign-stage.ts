/** A service that is not proven to be an emulator. We send it only harmless requests and those that the user allowed. */
import { Mutex } from "../../src/base/mutex.js";
import { type HttpAnswer, type HttpRequest, httpCall } from "./http-call.js";
import { type Allowed, refusalOf, riskOf, withPin } from "./risk.js";
import type { Scenario, Step } from "./scenario.js";
import { NotApplicable, type OpenStage } from "./stage.js";
import { httpRequestOf } from "./step-request.js";

export function openForeignStage(baseUrl: string, allowed: Allowed): OpenStage {
  const call = callerOf(baseUrl, allowed);
  return async (scenario) => {
    requireApplicable(scenario, allowed);
    const refuse = (step: string) => async () => {
      throw new NotApplicable(needsControl(step));
    };
    return {
      foreign: true,
      lifeState: () => undefined,
      call,
      card: refuse("card"),
      clock: refuse("clock"),
      service: refuse("service"),
      authority: refuse("authority"),
      faults: refuse("faults"),
      state: refuse("check"),
      close: async () => undefined,
    };
  };
}

/** @throws NotApplicable before anything is sent: even half a scenario may lock a card */
function requireApplicable({ given, steps }: Scenario, allowed: Allowed): void {
  if (Object.keys(given).length > 0) throw new NotApplicable("`given` needs control of the service's world");
  for (const [i, step] of steps.entries()) {
    const reason = whyNot(step, allowed);
    if (reason !== undefined) throw new NotApplicable(reason, i);
  }
}

function whyNot(step: Step, allowed: Allowed): string | undefined {
  if ("request" in step) return refusalOf(httpRequestOf(step.request), allowed);
  if ("parallel" in step) return step.parallel.map((one) => whyNot(one, allowed)).find((why) => why !== undefined);
  const [action = ""] = Object.keys(step).filter((name) => name !== "say");
  return needsControl(action);
}

function needsControl(step: string): string {
  return `\`${step}\` needs control of a card and a world that are not ours`;
}

type Call = (request: HttpRequest) => Promise<HttpAnswer | undefined>;

function callerOf(baseUrl: string, allowed: Allowed): Call {
  const mutex = new Mutex();
  let isRefused = false;
  /** One at a time, so that a mistyped --pin costs only one attempt. */
  const sendPin = (request: HttpRequest, pin: string) =>
    mutex.run(async () => {
      if (isRefused) throw new Error("the service has refused the PIN of --pin; it is not sent again");
      const answer = await httpCall(baseUrl, withPin(request, pin));
      isRefused = !answer?.text.includes("0100");
      return answer;
    });
  return async (request) => {
    // Checked again: the request now holds values that came from the service.
    const reason = refusalOf(request, allowed);
    if (reason !== undefined) throw new NotApplicable(reason);
    const { pin } = allowed;
    return riskOf(request) === "pin" && pin !== undefined ? sendPin(request, pin) : httpCall(baseUrl, request);
  };
}
