/** Plays one scenario on a stage, step by step, until a result differs from what the scenario expects. */

import { type Difference, differences, placesIn, showBody, valueAt } from "../../emulator/faults/match.js";
import { substitute, unresolvedPlace } from "../../emulator/world/substitute.js";
import { didYouMean } from "../../src/base/did-you-mean.js";
import { messageOf } from "../../src/base/thrown.js";
import type { ValuePath } from "../../src/base/wrong-value.js";
import { ConfigError } from "../../src/config/config-error.js";
import { loadConfig } from "../../src/config/load.js";
import type { AnswerForm } from "../../src/fiscal/answer-form.js";
import { type Conformance, conformanceTo } from "./conformance.js";
import { inDeviceForm } from "./device-form.js";
import type { HttpAnswer, HttpRequest } from "./http-call.js";
import { jsonIn } from "./json.js";
import type { Outcome } from "./row.js";
import { type RequestStep, type Scenario, type ScenarioCheck, type Step, worldStepOf } from "./scenario.js";
import { NotApplicable, type OpenStage, type Stage } from "./stage.js";
import { httpRequestOf } from "./step-request.js";

export interface Exchange {
  readonly request: HttpRequest;
  readonly answer: HttpAnswer | undefined;
}

export interface Failure {
  /** Number of the step, from 1; undefined if the world could not be made. */
  readonly step?: number;
  readonly line: number;
  /** Path of the value in `given` that is the reason why the world could not be made. */
  readonly given?: ValuePath;
  readonly say?: string;
  readonly message: string;
  readonly differences: readonly Difference[];
  readonly exchange?: Exchange;
}

export interface Played {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
  readonly failure?: Failure;
  readonly reason?: string;
  readonly ms: number;
  readonly exchanges: readonly Exchange[];
  /** States of the card's life in order. Each state differs from the state before. */
  readonly life: readonly string[];
}

type Judged = Pick<Played, "outcome" | "failure" | "reason">;

/** Why a world could not be made. Another error than a ConfigError has another cause than `given`, such as a port in use. */
export function unmade(error: unknown): Failure {
  const place = error instanceof ConfigError ? { given: error.path } : {};
  return { ...place, line: 1, message: messageOf(error), differences: [] };
}

class StepFailed extends Error {
  constructor(
    message: string,
    readonly differences: readonly Difference[] = [],
    readonly exchange?: Exchange,
  ) {
    super(message);
  }
}

export async function play(scenario: Scenario, open: OpenStage): Promise<Played> {
  const began = performance.now();
  const player = new Player(scenario);
  const judged = await player.run(open);
  return { scenario, ...judged, ms: performance.now() - began, exchanges: player.exchanges, life: player.life };
}

/** Why a scenario that was played proves nothing. */
export const NOTHING_EXPECTED = "nothing was expected: no step has an answer or a check";

function expectsSomething(step: Step): boolean {
  if (step.kind === "parallel") return step.parallel.some(expectsSomething);
  return step.kind === "check" || (step.kind === "request" && Object.keys(step.answer ?? {}).length > 0);
}

class Player {
  readonly exchanges: Exchange[] = [];
  readonly life: string[] = [];
  private readonly captured: Record<string, unknown> = {};
  private form: AnswerForm = "specification";
  private conformance: Conformance = () => [];

  constructor(private readonly scenario: Scenario) {}

  async run(open: OpenStage): Promise<Judged> {
    const other = this.scenario.expect
      ? "it watches a POS: use scenario expect"
      : "it has no steps: use serve --scenario";
    if (this.scenario.steps.length === 0) return { outcome: "not applicable", reason: other };
    let stage: Stage | undefined;
    let at = 0;
    try {
      stage = await open(this.scenario);
      const { settings } = loadConfig({ flags: { ...this.scenario.given.settings } });
      this.form = settings.answerForm;
      this.conformance = conformanceTo({ ...settings, maker: stage.foreign ? "specified" : "ours" });
      this.recordLifeState(stage);
      for (const [i, step] of this.scenario.steps.entries()) {
        at = i;
        await this.step(stage, step);
      }
      if (this.scenario.steps.some(expectsSomething)) return { outcome: "passed" };
      return { outcome: "not applicable", reason: NOTHING_EXPECTED };
    } catch (error) {
      if (!(error instanceof NotApplicable))
        return { outcome: "failed", failure: stage ? this.failureOf(error, at) : unmade(error) };
      const { message, at: step = at } = error;
      return { outcome: "not applicable", reason: `step ${step + 1}, line ${this.lineOf(step)}: ${message}` };
    } finally {
      await stage?.close?.();
    }
  }

  private lineOf(at: number): number {
    return this.scenario.lines[at] ?? 1;
  }

  private failureOf(error: unknown, at: number): Failure {
    const say = this.scenario.steps[at]?.say;
    const where = { step: at + 1, line: this.lineOf(at), ...(say === undefined ? {} : { say }) };
    const { differences = [], exchange }: Partial<StepFailed> = error instanceof StepFailed ? error : {};
    return { ...where, message: messageOf(error), differences, ...(exchange ? { exchange } : {}) };
  }

  private recordLifeState(stage: Stage): void {
    const state = stage.lifeState?.();
    if (state !== undefined && this.life.at(-1) !== state) this.life.push(state);
  }

  private async step(stage: Stage, raw: Step): Promise<void> {
    const step = substitute(raw, this.captured) as Step;
    const missing = step.kind === "parallel" ? undefined : unresolvedPlace(step)?.name;
    if (missing !== undefined) throw new StepFailed(notCaptured(missing, Object.keys(this.captured)));
    if (step.kind === "request") await this.request(stage, step);
    else if (step.kind === "check") await this.check(stage, step.check);
    else if (step.kind === "parallel") await Promise.all(step.parallel.map((one) => this.step(stage, one)));
    else await stage.act(worldStepOf(step));
    this.recordLifeState(stage);
  }

  private async request(stage: Stage, step: RequestStep): Promise<void> {
    const request = httpRequestOf(step.request);
    const { online = false } = step.request;
    const answer = await (online ? stage.callOnline(request) : stage.call(request));
    const exchange = { request, answer };
    this.exchanges.push(exchange);
    const { dropped = false, capture = {}, ...stated } = step.answer ?? {};
    // We compare header names in lower case, because Node gives them in lower case.
    const expected = stated.headers === undefined ? stated : { ...stated, headers: inSmallLetters(stated.headers) };
    if (dropped !== (answer === undefined)) {
      const message = dropped
        ? "an answer came, but the connection should have broken"
        : "the connection broke before an answer came";
      throw new StepFailed(message, [], exchange);
    }
    if (!answer) return;
    const body = jsonIn(answer.text);
    const inForm = this.form === "device" ? inDeviceForm(expected) : expected;
    const deviations = differences(inForm, { ...answer, json: body });
    if (deviations.length > 0)
      throw new StepFailed("the answer differs from what the step expects", deviations, exchange);
    // We do not check refusals of the online service, because the document of the till's interface does not describe
    // them.
    const faults = online && answer.status !== 200 ? [] : this.conformance(request, answer);
    if (faults.length > 0) {
      throw new StepFailed(`the exchange does not follow the OpenAPI document: ${faults.join("; ")}`, [], exchange);
    }
    for (const [name, path] of Object.entries(capture)) {
      const value = valueAt(body, path);
      if (value === undefined) throw new StepFailed(noSuchPlace(path, name, body), [], exchange);
      this.captured[name] = value;
    }
  }

  private async check(stage: Stage, check: ScenarioCheck): Promise<void> {
    const deviations = differences(check, await stage.state());
    if (deviations.length > 0) throw new StepFailed("card and store differ from what the step expects", deviations);
  }
}

function notCaptured(name: string, captured: readonly string[]): string {
  const available =
    captured.length === 0 ? "nothing was captured before this step" : `captured are ${captured.join(", ")}`;
  return `neither a case nor an earlier answer gives ${name}; ${available}${didYouMean(name, captured)}`;
}

/** The largest number of places that an error lists. Its first places are enough to show how a place is written. */
const MOST_PLACES = 40;

function noSuchPlace(path: string, name: string, body: unknown): string {
  const places = placesIn(body);
  if (places.length === 0) return `there is no ${path} to capture as ${name}: the answer is no JSON object or list`;
  const more = places.length - MOST_PLACES;
  const shown = `${places.slice(0, MOST_PLACES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `there is no ${path} to capture as ${name}; the answer has ${shown}${didYouMean(path, places)}`;
}

function inSmallLetters(headers: object): object {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Writes a request as text, for reports. */
export function describeRequest({ method, path, headers, body }: HttpRequest): string {
  const named = Object.entries(headers).map(([name, value]) => `\n${name}: ${value}`);
  return `${method} ${path}${named.join("")}${body ? `\n\n${showBody(Buffer.from(body).toString("utf8"))}` : ""}`;
}
