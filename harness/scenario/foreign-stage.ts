/** A stage on a service that may have a real card: sends only what is harmless or what the user allowed. */
import type { Agent } from "node:http";
import { STEP_KINDS } from "../../emulator/world/steps.js";
import { Mutex } from "../../src/base/mutex.js";
import { type HttpAnswer, type HttpRequest, httpCall } from "./http-call.js";
import { type Allowed, refusalOf, riskOf, withPin } from "./risk.js";
import type { Scenario, Step } from "./scenario.js";
import { NotApplicable, type OpenStage } from "./stage.js";
import { httpRequestOf } from "./step-request.js";

export interface ForeignService {
  /** Base URL of the service. A hosted service may need a path in this URL. */
  readonly baseUrl: string;
  readonly allowed: Allowed;
  /** Headers that each request gets, such as a token of a hosted service. Reports do not show these headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Agent with the client certificate. Without an agent, each call opens a new connection. */
  readonly agent?: Agent;
}

export function openForeignStage(service: ForeignService): OpenStage {
  const { allowed } = service;
  const call = callerOf(service);
  return async (scenario) => {
    requireApplicable(scenario, allowed);
    return {
      foreign: true,
      call,
      callOnline: () => refuse("online"),
      act: (step) => refuse(STEP_KINDS.find((kind) => kind in step) ?? "do"),
      state: () => refuse("check"),
    };
  };
}

/** Checks all steps before the first request, because even half a scenario may lock a card. @throws NotApplicable */
function requireApplicable({ given, steps }: Pick<Scenario, "given" | "steps">, allowed: Allowed): void {
  if (Object.keys(given).length > 0) throw new NotApplicable("`given` needs control of the service's world");
  for (const [i, step] of steps.entries()) {
    const reason = whyNot(step, allowed);
    if (reason !== undefined) throw new NotApplicable(reason, i);
  }
}

function whyNot(step: Step, allowed: Allowed): string | undefined {
  if (step.kind === "request" && step.request.online) return needsControl("online");
  if (step.kind === "request") return refusalOf(httpRequestOf(step.request), allowed);
  if (step.kind === "parallel")
    return step.parallel.map((one) => whyNot(one, allowed)).find((why) => why !== undefined);
  return needsControl(step.kind);
}

const refuse = (step: string) => Promise.reject<never>(new NotApplicable(needsControl(step)));

function needsControl(step: string): string {
  return `\`${step}\` needs control of a card and a world that are not ours`;
}

type Call = (request: HttpRequest) => Promise<HttpAnswer | undefined>;

function callerOf({ baseUrl, allowed, headers = {}, agent }: ForeignService): Call {
  const send = (request: HttpRequest) =>
    httpCall(baseUrl, { ...request, headers: { ...headers, ...request.headers } }, agent);
  const pinSender = new PinSender(send);
  return async (request) => {
    // We check the request again, because it now holds values that came from the service.
    const reason = refusalOf(request, allowed);
    if (reason !== undefined) throw new NotApplicable(reason);
    const { pin } = allowed;
    return riskOf(request) === "pin" && pin !== undefined ? pinSender.send(request, pin) : send(request);
  };
}

/** HTTP status of a service that did not read the body, because it does not know the media type. */
const UNSUPPORTED_MEDIA_TYPE = 415;

/**
 * Sends the PIN of --pin, one request at a time, so that a mistyped PIN costs only one attempt. A service may also refuse
 * the right PIN in a form that it does not know. After a refusal we send only a form that the service accepted
 * before, because a right PIN restores the attempts.
 */
class PinSender {
  private readonly mutex = new Mutex();
  private isRefused = false;
  private readonly accepted = new Set<string>();

  constructor(private readonly call: Call) {}

  send(request: HttpRequest, pin: string): Promise<HttpAnswer | undefined> {
    return this.mutex.run(async () => {
      const form = `${request.headers["Content-Type"] ?? ""} ${Buffer.from(request.body ?? "").toString("utf8")}`;
      const wasAccepted = this.accepted.has(form);
      if (this.isRefused && !wasAccepted) {
        throw new Error("the service has refused the PIN of --pin; it is not sent again");
      }
      // We set this before the call, because the PIN counts as refused also if no answer comes.
      this.isRefused = true;
      const answer = await this.call(withPin(request, pin));
      const isRight = answer?.text.includes("0100") === true;
      this.isRefused = !isRight && answer?.status !== UNSUPPORTED_MEDIA_TYPE;
      if (isRight) this.accepted.add(form);
      else if (wasAccepted) this.accepted.clear();
      return answer;
    });
  }
}
