/** Compares the requests of a POS with what a scenario expects of the POS, and returns a list of complaints. */

import { differences, matcherOf, show, valueAt } from "../../emulator/faults/match.js";
import { SHIPPED_SCENARIOS } from "../../emulator/world/given-file.js";
import { substitute } from "../../emulator/world/substitute.js";
import { parseDuration } from "../../src/base/duration.js";
import { namedFile } from "../../src/config/read-file.js";
import { parseTime } from "../../src/fiscal/time.js";
import { lineOf } from "./find-requests.js";
import { loadScenarios } from "./load.js";
import { differenceLines } from "./played-row.js";
import type { RequestFilter, SentRequest } from "./request-types.js";
import { type Expectation, isWorldStep, type OrderExpectation, type RequestExpectation } from "./scenario.js";

/** An expectation that the requests do not meet. */
export interface Unmet {
  readonly index: number;
  /** One line that says what is wrong, in the words of the file if it has some. */
  readonly message: string;
  /** Lines about what the POS has sent, and after them what the file expects. */
  readonly details: readonly string[];
}

type CapturedValues = Readonly<Record<string, unknown>>;
type Complaint = Pick<Unmet, "message" | "details">;

/** The largest number of requests that a complaint lists. */
const NAMED = 5;

/** Returns the expectations that the requests do not meet. @param requests oldest first */
export function unmetBy(expectations: readonly Expectation[], requests: readonly SentRequest[]): Unmet[] {
  return expectations.flatMap((expectation, index) => {
    const complaint =
      "inOrder" in expectation ? orderComplaint(expectation, requests) : complaintAbout(expectation, requests);
    return complaint ? [{ index, ...complaint }] : [];
  });
}

/** Writes an expectation that was not met as text for people. */
export function unmetText({ message, details }: Unmet): string {
  return [message, ...details.map((line) => `  ${line}`)].join("\n");
}

/**
 * Returns each expectation that was not met as a text.
 * @param scenario a file, or the name of a shipped scenario
 * @param requests oldest first
 * @throws Error if the scenario expects nothing of a POS; ConfigError if the file has a mistake
 */
export function unmetOf(scenario: string | undefined, requests: readonly SentRequest[]): string[] {
  if (scenario === undefined) throw new Error("there is no scenario whose expect the requests could meet");
  // We use the first of several cases, because a test starts from this case.
  const [first] = loadScenarios(namedFile("scenario", scenario, SHIPPED_SCENARIOS));
  if (!first?.expect) throw new Error(`the scenario ${scenario} has no expect`);
  return unmetBy(first.expect, requests).map(unmetText);
}

function complaintAbout(expectation: RequestExpectation, requests: readonly SentRequest[]): Complaint | undefined {
  const { filter, forbidden } = filterOf(expectation, {});
  const since = requests[0]?.at;
  const matching = requests.filter((request) => isMatch(expectation, filter, request, since));
  if (forbidden) return matching.length === 0 ? undefined : mustNotBeThere(expectation, filter, matching);
  const { times } = expectation;
  if (times === undefined ? matching.length > 0 : matching.length === times) return undefined;
  if (matching.length === 0) return missing(expectation, filter, requests, since);
  const { say = "the POS sent this more or less often than it must" } = expectation;
  const details = [...named(matching), `requests that match ${show(filter)}: ${matching.length}; expected ${times}`];
  return { message: say, details };
}

function mustNotBeThere(
  { say = "the POS sent what it must not send" }: RequestExpectation,
  filter: RequestFilter,
  matching: readonly SentRequest[],
): Complaint {
  return { message: say, details: [...named(matching), `no request may match ${show(filter)}`] };
}

function named(requests: readonly SentRequest[]): string[] {
  const more = requests.length - NAMED;
  const lines = requests.slice(0, NAMED).map((request) => `${request.id}: ${lineOf(request)}`);
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

interface Position {
  readonly step: number;
  /** Index of the first request that may match the next step. */
  readonly from: number;
  readonly values: CapturedValues;
}

interface Failed {
  readonly step: number;
  readonly complaint: Complaint;
}

/** Tries each request that fits a step, because the values captured from it decide whether later steps fit. */
function orderComplaint(order: OrderExpectation, requests: readonly SentRequest[]): Complaint | undefined {
  const words = order.say === undefined ? {} : { say: order.say };
  const inOrder = order.inOrder.flatMap((entry) => (isWorldStep(entry) ? [] : { ...words, ...entry }));
  const tried = new Map<string, Failed | undefined>();
  const failureFrom = (position: Position): Failed | undefined => {
    const key = JSON.stringify(position);
    if (!tried.has(key)) tried.set(key, search(position));
    return tried.get(key);
  };
  const search = ({ step, from, values }: Position): Failed | undefined => {
    const next = inOrder.findIndex((expectation, i) => i >= step && expectation.notSent === undefined);
    const end = next < 0 ? inOrder.length : next;
    const forbidden = inOrder
      .slice(step, end)
      .map((expectation) => ({ expectation, ...filterOf(expectation, values) }));
    const since = requests[from - 1]?.at ?? requests[0]?.at;
    const intruder = (to: number) =>
      forbidden.flatMap(({ expectation, filter }) => {
        const there = requests.slice(from, to).filter((request) => isMatch(expectation, filter, request, since));
        return there.length === 0 ? [] : [mustNotBeThere(expectation, filter, there)];
      })[0];
    const expectation = inOrder[end];
    if (!expectation) {
      const complaint = intruder(requests.length);
      return complaint && { step, complaint };
    }
    const { filter } = filterOf(expectation, values);
    let furthest: Failed = { step: end, complaint: missing(expectation, filter, requests.slice(from), since) };
    for (const [i, request] of requests.entries()) {
      if (i < from || !isMatch(expectation, filter, request, since)) continue;
      // A request that must not be there cannot be the wanted one.
      const complaint = intruder(i + 1);
      const failure = complaint
        ? { step: end, complaint }
        : failureFrom({ step: end + 1, from: i + 1, values: { ...values, ...captured(expectation, request) } });
      if (!failure) return undefined;
      if (failure.step > furthest.step || furthest.step === end) furthest = failure;
    }
    return furthest;
  };
  const failure = failureFrom({ step: 0, from: 0, values: {} });
  if (!failure) return undefined;
  const { message, details } = failure.complaint;
  return { message: `${message} (${failure.step + 1} of ${inOrder.length} in order)`, details };
}

function captured({ capture = {} }: RequestExpectation, request: SentRequest): CapturedValues {
  return Object.fromEntries(Object.entries(capture).map(([name, path]) => [name, valueAt(request, path)]));
}

function filterOf({ sent, signed, notSent }: RequestExpectation, values: CapturedValues) {
  const filter: RequestFilter = signed ? { ...signed, signed: true } : (sent ?? notSent ?? {});
  return { filter: substitute(filter, values) as RequestFilter, forbidden: notSent !== undefined };
}

/** @param since time of the request that `within` counts from */
function isMatch(
  expectation: RequestExpectation,
  filter: RequestFilter,
  request: SentRequest,
  since?: string,
): boolean {
  return lateness(expectation, request, since) === undefined && differences(filter, request).length === 0;
}

/** Returns why the time of a request does not fit, or undefined if the time fits. */
function lateness({ within, before, after }: RequestExpectation, { at }: SentRequest, since?: string) {
  const time = msOf(at);
  if (before !== undefined && time >= msOf(before)) return `it was sent at ${at}, expected before ${before}`;
  if (after !== undefined && time < msOf(after)) return `it was sent at ${at}, expected at ${after} or later`;
  if (within === undefined || since === undefined) return undefined;
  const passed = time - msOf(since);
  return passed > (parseDuration(within) ?? 0)
    ? `it was sent after ${passed} ms, expected within ${within}`
    : undefined;
}

/** Converts a time to ms since the epoch. The time is valid, because the scenario's schema has checked the file. */
const msOf = (time: string): number => parseTime(time) ?? Number.NaN;

function missing(
  expectation: RequestExpectation,
  filter: RequestFilter,
  requests: readonly SentRequest[],
  since: string | undefined,
): Complaint {
  const { say: message = "the POS did not send what it must send" } = expectation;
  const expected = `no request matches ${show(filter)}`;
  const nearest = nearestTo(filter, requests);
  if (!nearest) return { message, details: ["the POS sent nothing", expected] };
  const late = lateness(expectation, nearest, since);
  return {
    message,
    details: [
      `the nearest is ${nearest.id}: ${lineOf(nearest)}`,
      ...differences(filter, nearest).flatMap(differenceLines),
      ...(late === undefined ? [] : [`  ${late}`]),
      expected,
    ],
  };
}

/** Returns the request with the most fitting fields; the newest, if several have as many. */
function nearestTo(filter: RequestFilter, requests: readonly SentRequest[]): SentRequest | undefined {
  const leaves = leavesOf(filter);
  const score = (request: SentRequest) =>
    leaves.filter(({ path, expected }) => differences(expected, valueAt(request, path)).length === 0).length;
  const newestFirst = requests.toReversed().map((request) => ({ request, score: score(request) }));
  return newestFirst.toSorted((a, b) => b.score - a.score)[0]?.request;
}

function leavesOf(expected: unknown, path = ""): { readonly path: string; readonly expected: unknown }[] {
  if (typeof expected !== "object" || expected === null || matcherOf(expected)) return [{ path, expected }];
  return Object.entries(expected).flatMap(([key, value]) => leavesOf(value, path === "" ? key : `${path}.${key}`));
}
