/**
 * The tools of a coding agent. Each tool calls the emulator's control interface, with the same limits, or its service.
 * No tool takes an address, so no tool can reach a service with a real card.
 */

import { existsSync } from "node:fs";
import { PROFILE_SCHEMA } from "../../emulator/card/profile.js";
import { cut } from "../../emulator/faults/match.js";
import type { ScenarioRecord } from "../../emulator/world/card-types.js";
import { SHIPPED_SCENARIOS, scenarioName } from "../../emulator/world/given-file.js";
import { LOOKS, type LookName } from "../../emulator/world/look.js";
import { FIND_REQUESTS } from "../../emulator/world/schemas.js";
import type { WorldStep } from "../../emulator/world/step-types.js";
import { actionSchema, type Effect, rowsOf, STEP_KINDS, STEPS } from "../../emulator/world/steps.js";
import { didYouMean } from "../../src/base/did-you-mean.js";
import { UserError } from "../../src/base/user-error.js";
import { namedFile, namesIn } from "../../src/config/read-file.js";
import type { TrafficRecord } from "../../src/console/records/traffic.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { objectSchema, textLike } from "../../src/schema/json-schema.js";
import type { JsonSchema } from "../../src/schema/validator.js";
import { sellSample } from "../sample/sell-sample.js";
import type { Control } from "../scenario/controlled-stage.js";
import { lineOf } from "../scenario/find-requests.js";
import { unmetBy, unmetText } from "../scenario/judge.js";
import { loadScenarios } from "../scenario/load.js";
import { rowOf } from "../scenario/played-row.js";
import { summary } from "../scenario/report.js";
import type { SentRequest } from "../scenario/request-types.js";
import type { Outcome, RehearsalRecord, Row } from "../scenario/row.js";
import { runScenarioFiles } from "../scenario/run-files.js";
import type { Scenario } from "../scenario/scenario.js";
import { drivenSituation } from "../scenario/shipped.js";
import { stepsIn } from "../scenario/situations.js";
import { brief } from "./brief.js";
import { documentation, explainCode, explainRequest, FULL } from "./explain.js";

export interface Till {
  /** Base URL of the service, without /api/v3. */
  readonly url: string;
  readonly controlUrl: string;
  readonly control: Control;
  /** The situation that the agent has begun; undefined before it began one. */
  situation?: Scenario;
}

export interface AgentTool {
  readonly effect: Effect;
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
  /** Runs the tool. @param input as `input` describes it @throws Error that says what the agent did wrong */
  run(till: Till, input: never): unknown;
}

const NOTHING = objectSchema({});
const TEXT = { type: "string" };
const FOUR_DIGITS = textLike("^[0-9]{4}$", "4 digits as text");

const tool = <Input>(
  effect: Effect,
  name: string,
  description: string,
  input: JsonSchema,
  run: (till: Till, input: Input) => unknown,
): AgentTool => ({ effect, name, description, input, run });

const EFFECTS: readonly Effect[] = ["reads", "changes", "erases"];

/** A tool for each kind of steps. Its effect is the strongest of its rows. */
const STEP_TOOLS = STEP_KINDS.map((kind) => {
  const effects = rowsOf(kind).map(([, row]) => row.effect);
  const effect = EFFECTS.findLast((one) => effects.includes(one)) ?? "changes";
  const sentence = `Do something: ${STEPS[kind].about}. The answer shows what has changed.`;
  const input = objectSchema({ [kind]: actionSchema(kind) });
  return tool<WorldStep>(effect, `do_${kind}`, sentence, input, ({ control }, step) => control("POST", "/do", step));
});

export const TOOLS: readonly AgentTool[] = [
  tool(
    "reads",
    "addresses",
    "The addresses of the emulator. A POS posts invoices to the service.",
    NOTHING,
    async ({ url, controlUrl, control }) => ({
      service: url + API_PREFIX,
      console: `${url}/`,
      control: `${controlUrl}/control`,
      ...(await onlineAddresses(controlUrl, control)),
    }),
  ),
  tool(
    "reads",
    "list_situations",
    "Situations that the emulator can begin in, such as a locked card. Those below pos/ judge the POS. With text: only those whose name or title has it.",
    objectSchema({ text: TEXT }, []),
    async ({ control }, { text = "" }: { readonly text?: string }) =>
      ((await control("GET", "/scenarios")) as readonly ScenarioRecord[])
        .map(({ name, title }) => ({ name, title }))
        .filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(text.toLowerCase())),
  ),
  tool(
    "erases",
    "begin_situation",
    "Put the emulator into a situation, and say what the POS must do in it. A new one erases its state; in a running one, the steps of a situation such as pos/lost-answer are played.",
    objectSchema(
      {
        name: { ...TEXT, description: "of list_situations, or a scenario file" },
        title: { ...TEXT, description: "of list_situations, if several have the name; default: the first of them" },
        in: { enum: ["running", "new"], description: "default: new" },
      },
      ["name"],
    ),
    beginSituation,
  ),
  tool(
    "reads",
    "judge_situation",
    "Whether the POS did what the situation of begin_situation asks: passed, failed with the reasons, or not seen.",
    NOTHING,
    judgeSituation,
  ),
  tool(
    "erases",
    "reset",
    "Go back to the start, or to the last situation. This erases sales, faults and requests.",
    NOTHING,
    ({ control }) => control("POST", "/reset"),
  ),
  tool(
    "reads",
    "look",
    "Look at the emulator: its card, store, authority, clock, faults or online service.",
    objectSchema({ what: { enum: Object.keys(LOOKS) } }),
    ({ control }, { what }: { readonly what: LookName }) => control("GET", `/${what}`),
  ),
  ...STEP_TOOLS,
  tool(
    "changes",
    "sell_sample",
    "Let the service sign a sample invoice, as a POS does. It sends the PIN if the service asks for it.",
    objectSchema(
      {
        pin: { ...FOUR_DIGITS, description: `default: ${PROFILE_SCHEMA.properties.pin.default}` },
      },
      [],
    ),
    async ({ url }, { pin = PROFILE_SCHEMA.properties.pin.default }: { readonly pin?: string }) => {
      const { text, ...sale } = await sellSample(url, pin);
      return { ...sale, answer: brief(text, FULL) };
    },
  ),
  tool(
    "reads",
    "find_requests",
    'Count what the POS sent, such as {"where":{"method":"POST","signed":true}}, and show the newest. With nth it waits for the n-th of them. explain_request has the full text.',
    FIND_REQUESTS,
    async ({ control }, filter: object) => {
      const { count, requests } = (await control("POST", "/traffic/find", filter)) as FoundRequests;
      return { count, requests: requests.slice(-NEWEST).map(shortRequest) };
    },
  ),
  tool(
    "reads",
    "explain_request",
    "One request of find_requests: what was sent and answered, what its codes mean, what the card did for it, and which earlier sale has an equal invoice.",
    objectSchema({ id: { type: "integer", minimum: 0 } }, ["id"]),
    async ({ control }, { id }: { readonly id: number }) => {
      const records = (await control("GET", `/traffic?since=${id - 1}&before=${id + 1}`)) as readonly TrafficRecord[];
      const [record] = records;
      if (!record) throw new Error(`the traffic log has no request ${id}; find_requests names those that it has`);
      const { requests } = (await control("POST", "/traffic/find", {})) as FoundRequests;
      const twin = twinOf(id, requests);
      return { ...explainRequest(record), ...(twin && { equalInvoiceBefore: `${nameOf(twin)} was signed` }) };
    },
  ),
  tool(
    "reads",
    "explain_code",
    "What a code such as 2110 means, and what a POS and a shop do about it.",
    objectSchema({ code: FOUR_DIGITS }, ["code"]),
    (_till, { code }: { readonly code: string }) => explainCode(code),
  ),
  tool(
    "reads",
    "run_scenarios",
    "Play scenario files with steps, each in a new world, and report what differs. They test the service, not the POS.",
    objectSchema(
      {
        paths: { type: "array", items: TEXT, description: "files or folders; default: those of tillseal" },
        tag: TEXT,
      },
      [],
    ),
    (_till, { paths, tag }: { readonly paths?: readonly string[]; readonly tag?: string }) => playScenarios(paths, tag),
  ),
  tool(
    "reads",
    "rehearse",
    "What an authority will ask of the POS: each row passed, failed or not seen, judged by what the POS has sent.",
    NOTHING,
    async ({ control }) => {
      const { requests, rows } = (await control("GET", "/rehearsal")) as RehearsalRecord;
      return { requests, ...shortRows(rows) };
    },
  ),
  tool(
    "reads",
    "read_docs",
    "A page of the documentation, such as codes.md, or a part of it, such as codes.md#all-codes. Of a long page: its headings. Without a page: the list of all pages.",
    objectSchema({ page: TEXT }, []),
    (_till, { page = "llms.txt" }: { readonly page?: string }) => documentation(page),
  ),
];

/** What a POS needs for the online service of the authority, if the situation has one. */
async function onlineAddresses(controlUrl: string, control: Control): Promise<object> {
  try {
    const { url, pac, passphrase } = (await control("GET", "/vsdc")) as Readonly<Record<string, string>>;
    const files = `${controlUrl}/control/vsdc`;
    const certificate = { pfx: `${files}/client.pfx`, passphrase, pem: `${files}/client.pem`, ca: `${files}/ca.pem` };
    return { online: { service: url + API_PREFIX, pac, ...certificate } };
  } catch (error) {
    if (error instanceof UserError) return {};
    throw error;
  }
}

/** @param begun without a title, it is the first situation of a shipped name or of a file */
async function beginSituation(
  till: Till,
  { name, title = "", in: place = "new" }: { readonly name: string; readonly title?: string; readonly in?: string },
): Promise<object> {
  const names = namesIn(SHIPPED_SCENARIOS);
  if (!names.includes(name) && !existsSync(name)) {
    throw new Error(`there is no situation ${name}${didYouMean(name, names)}; list_situations names them`);
  }
  const scenarios = loadScenarios(namedFile("scenario", name, SHIPPED_SCENARIOS));
  const scenario = scenarios.find((one) => one.name.startsWith(title));
  if (!scenario) throw new Error(`${name} has only ${scenarios.map((one) => one.name).join(", ")}`);
  const { name: situation, about, todo = about, expect, rows, given } = scenario;
  if (place === "running") drivenSituation(scenarioName(scenario.file));
  else await till.control("POST", "/given", given);
  await till.control("DELETE", "/traffic");
  const inOrder = stepsIn(expect);
  if (inOrder) await till.control("POST", "/rehearsal/situation", { inOrder });
  till.situation = scenario;
  const judge = expect ? "judge_situation" : "nothing: see find_requests, or rehearse";
  return {
    situation,
    todo: (todo ?? "Sell with the POS, and see what it does with the answer.").trim(),
    judgedBy: judge,
    ...(rows.length > 0 && { rowsOfRehearse: rows }),
    card: await till.control("GET", "/card"),
  };
}

async function judgeSituation({ control, situation }: Till): Promise<object> {
  const { name, expect } = situation ?? {};
  if (!expect)
    throw new Error("begin a situation that judges the POS first; list_situations with the text pos/ names them");
  const { requests } = (await control("POST", "/traffic/find", {})) as FoundRequests;
  const unmet = unmetBy(expect, requests).map(unmetText);
  const outcome = requests.length === 0 ? "not seen" : unmet.length === 0 ? "passed" : "failed";
  const twice = outcome === "failed" ? soldTwice(requests) : [];
  return { situation: name, outcome, requests: requests.length, unmet: [...twice, ...unmet] };
}

/** Sales that were signed again under another RequestId, perhaps because the POS did not get the first receipt. */
function soldTwice(requests: readonly SentRequest[]): string[] {
  return requests.flatMap((request) => {
    const first = request.signed ? twinOf(request.id, requests) : undefined;
    if (!first || requests.some(({ requestId, status }) => requestId === first.requestId && status === 200)) return [];
    return [`two receipts were signed for equal invoices: ${nameOf(first)}, and ${nameOf(request)}`];
  });
}

/** The last sale before a request that was signed for an equal invoice under another RequestId; undefined if none was. */
function twinOf(id: number, requests: readonly SentRequest[]): SentRequest | undefined {
  const { invoice = null, requestId } = requests.find((request) => request.id === id) ?? {};
  if (invoice === null) return undefined;
  const equal = ({ invoice: other }: SentRequest) => JSON.stringify(other) === JSON.stringify(invoice);
  return requests.findLast((one) => one.id < id && one.signed && one.requestId !== requestId && equal(one));
}

const nameOf = ({ id, requestId }: SentRequest) => `request ${id} with RequestId ${requestId ?? "none"}`;

interface FoundRequests {
  readonly count: number;
  readonly requests: readonly SentRequest[];
}

/** The largest number of requests, of failed scenarios and of rows in an answer. */
const NEWEST = 20;
/** Of a request in a list, in characters. */
const SHORT = { body: 250, text: 40 };

function shortRequest(request: SentRequest): object {
  const { id, at, status, code, signed, body, answer } = request;
  const [sent, answered] = [body, answer].map((part) => brief(JSON.stringify(part), SHORT));
  return { id, at, request: cut(lineOf(request), SHORT.body), status, code, signed, body: sent, answer: answered };
}

/** The longest line about a row, in characters. */
const REASON = 700;

/** Failed and unseen rows, and passed ones with a note; all outcomes as numbers. */
function shortRows(rows: readonly Row[]): object {
  const shown = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).map(shortRow);
  const noted = rows.filter(({ outcome, why }) => outcome === "passed" && why.note !== undefined).map(shortRow);
  return {
    summary: summary(rows),
    failed: shown("failed").slice(0, NEWEST),
    ...(noted.length > 0 && { noted }),
    notSeen: shown("not seen"),
  };
}

function shortRow({ id, text, why: { source: _, ...why }, exchange }: Row): object {
  const reasons = Object.entries(why).map(([name, reason]) => [name, cut(reason, REASON)]);
  return { id, text, why: Object.fromEntries(reasons), requests: exchange.flatMap((one) => one.id ?? []) };
}

async function playScenarios(paths: readonly string[] = [SHIPPED_SCENARIOS], tag: string | undefined): Promise<object> {
  const selection = tag === undefined ? {} : { filter: tag };
  const played = await runScenarioFiles({ ...selection, paths, reporter: "json", write: () => undefined });
  return shortRows(played.map(rowOf));
}
