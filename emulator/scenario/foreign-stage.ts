/** A service that is not proven to be an emulator. We send it only harmless requests and those that the user allowed. */
import type { Agent } from "node:http";
import { Mutex } from "../../src/base/mutex.js";
import { type HttpAnswer, type HttpRequest, httpCall } from "./http-call.js";
import { type Allowed, refusalOf, riskOf, withPin } from "./risk.js";
import type { Scenario, Step } from "./scenario.js";
import { NotApplicable, type OpenStage } from "./stage.js";
import { httpRequestOf } from "./step-request.js";

export interface ForeignService {
  /** A hosted service may need a path in its base URL. */
  readonly baseUrl: string;
  readonly allowed: Allowed;
  /** Headers for each request, such as a token of a hosted service. Reports do not show them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Has the client certificate for TLS. Default: a new connection without a certificate for each call. */
  readonly agent?: Agent;
}

export function openForeignStage(service: ForeignService): OpenStage {
  const { allowed } = service;
  const call = callerOf(service);
  return async (scenario) => {
    requireApplicable(scenario, allowed);
    const refuse = (step: string) => async () => {
      throw new NotApplicable(needsControl(step));
    };
    const refuseCall = async () => {
      throw new NotApplicable(needsControl("online"));
    };
    return {
      foreign: true,
      lifeState: () => undefined,
      call,
      callOnline: refuseCall,
      vsdc: refuse("vsdc"),
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
  if ("request" in step && step.request.online) return needsControl("online");
  if ("request" in step) return refusalOf(httpRequestOf(step.request), allowed);
  if ("parallel" in step) return step.parallel.map((one) => whyNot(one, allowed)).find((why) => why !== undefined);
  const [action = ""] = Object.keys(step).filter((name) => name !== "say");
  return needsControl(action);
}

function needsControl(step: string): string {
  return `\`${step}\` needs control of a card and a world that are not ours`;
}

type Call = (request: HttpRequest) => Promise<HttpAnswer | undefined>;

function callerOf({ baseUrl, allowed, headers = {}, agent }: ForeignService): Call {
  const send = (request: HttpRequest) =>
    httpCall(baseUrl, { ...request, headers: { ...headers, ...request.headers } }, agent);
  const pinSender = new PinSender(send);
  return async (request) => {
    // Checked again: the request now holds values that came from the service.
    const reason = refusalOf(request, allowed);
    if (reason !== undefined) throw new NotApplicable(reason);
    const { pin } = allowed;
    return riskOf(request) === "pin" && pin !== undefined ? pinSender.send(request, pin) : send(request);
  };
}

/** HTTP 415: the service has not read the body. */
const UNSUPPORTED_MEDIA_TYPE = 415;

/**
 * Sends the PIN of --pin, one request at a time, so that a mistyped PIN costs only one attempt. A service may also refuse
 * the right PIN in a form that it does not know. After a refusal we send only the form that it accepted before, which
 * restores the attempts.
 */
class PinSender {
  private readonly mutex = new Mutex();
  private isRefused = false;
  private accepted: string | undefined;

  constructor(private readonly call: Call) {}

  send(request: HttpRequest, pin: string): Promise<HttpAnswer | undefined> {
    return this.mutex.run(async () => {
      const form = `${request.headers["Content-Type"] ?? ""} ${Buffer.from(request.body ?? "").toString("utf8")}`;
      const wasAccepted = form === this.accepted;
      if (this.isRefused && !wasAccepted) {
        throw new Error("the service has refused the PIN of --pin; it is not sent again");
      }
      // The PIN counts as refused also if no answer comes.
      this.isRefused = true;
      const answer = await this.call(withPin(request, pin));
      const isRight = answer?.text.includes("0100") === true;
      this.isRefused = !isRight && answer?.status !== UNSUPPORTED_MEDIA_TYPE;
      if (isRight) this.accepted = form;
      else if (wasAccepted) this.accepted = undefined;
      return answer;
    });
  }
}
