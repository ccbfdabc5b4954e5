/**
 * The tools of a coding agent. Each tool calls the emulator's control interface, with the same limits, or its service.
 * No tool takes an address, so no tool can reach a service with a real card.
 */

import { PROFILE_SCHEMA } from "../../emulator/card/profile.js";
import { FAULT_SCHEMA } from "../../emulator/faults/fault-schema.js";
import { CARD_PATCH, CLOCK_PATCH, FIND_REQUESTS } from "../../emulator/world/schemas.js";
import { SHIPPED_SCENARIOS } from "../../emulator/world/shipped-folder.js";
import type { ScenarioRecord } from "../../emulator/world/world-types.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import type { JsonSchema } from "../../src/schema/validator.js";
import { SITUATION } from "../rehearse/schemas.js";
import type { Control } from "../scenario/controlled-stage.js";
import { type HttpAnswer, httpCall } from "../scenario/http-call.js";
import { runScenarioFiles } from "../scenario/run-files.js";
import { documentation, explainCode, explainRequest, type RequestRecord } from "./explain.js";

/** The emulator that the tools control. */
export interface Till {
  /** Base URL of the service, without /api/v3. */
  readonly url: string;
  readonly controlUrl: string;
  readonly control: Control;
}

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** Schema of the tool's input, which is an object. */
  readonly input: JsonSchema;
  /** Runs the tool. @param input as `input` describes it @throws Error that says what the agent did wrong */
  run(till: Till, input: never): unknown;
}

const object = (properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  additionalProperties: false,
  properties,
  required,
});
const NOTHING = object({});
const TEXT = { type: "string" };

/** What a tool can do with a card or its reader, each with the path of the control interface. */
const MOVES = {
  insert: "/card/insert",
  remove: "/card/remove",
  reset: "/card/reset",
  audit: "/card/audit",
  unplug: "/reader/unplug",
  plug: "/reader/plug",
} as const;

const tool = <Input>(
  name: string,
  description: string,
  input: JsonSchema,
  run: (till: Till, input: Input) => unknown,
): AgentTool => ({ name, description, input, run });

export const TOOLS: readonly AgentTool[] = [
  tool(
    "addresses",
    "The addresses of the emulator. A POS posts invoices to the service.",
    NOTHING,
    ({ url, controlUrl }) => ({
      service: url + API_PREFIX,
      console: `${url}/`,
      control: `${controlUrl}/control`,
    }),
  ),
  tool(
    "list_situations",
    "Situations that the emulator can begin in, such as a locked card. With text: only those whose name or title has it.",
    object({ text: TEXT }),
    async ({ control }, { text = "" }: { readonly text?: string }) =>
      (await situations(control))
        .map(({ name, title }) => ({ name, title }))
        .filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(text.toLowerCase())),
  ),
  tool(
    "begin_situation",
    "Start the emulator again in a situation of list_situations. This erases its state.",
    object({ name: TEXT }, ["name"]),
    async ({ control }, { name }: { readonly name: string }) => {
      const situation = (await situations(control)).find((one) => one.name === name);
      if (!situation) throw new Error(`there is no situation ${name}; list_situations names them`);
      await control("POST", "/given", situation.given);
      return control("GET", "/card");
    },
  ),
  tool(
    "reset",
    "Go back to the start, or to the last situation. This erases sales, faults and requests.",
    NOTHING,
    ({ control }) => control("POST", "/reset"),
  ),
  tool("read_card", "The state of the emulated card: PIN, attempts, sum, limit, counters.", NOTHING, ({ control }) =>
    control("GET", "/card"),
  ),
  tool(
    "change_card",
    'Change the emulated card: {"locked":true} locks it, {"locked":false} unlocks it.',
    CARD_PATCH,
    ({ control }, patch: object) => control("PATCH", "/card", patch),
  ),
  tool(
    "move_card",
    "Insert, remove, reset or audit the emulated card, or unplug and plug its reader.",
    object({ action: { enum: Object.keys(MOVES) } }, ["action"]),
    ({ control }, { action }: { readonly action: keyof typeof MOVES }) => control("POST", MOVES[action]),
  ),
  tool("list_faults", "The faults that are set, and how often each has struck.", NOTHING, ({ control }) =>
    control("GET", "/faults"),
  ),
  tool(
    "set_fault",
    "Let something go wrong, such as a card that is removed while it signs.",
    FAULT_SCHEMA,
    ({ control }, fault: object) => control("POST", "/faults", fault),
  ),
  tool("clear_faults", "Remove all faults.", NOTHING, ({ control }) => control("DELETE", "/faults")),
  tool("read_clock", "The time of service and card.", NOTHING, ({ control }) => control("GET", "/clock")),
  tool("set_clock", "Set, advance or stop the time of service and card.", CLOCK_PATCH, ({ control }, patch: object) =>
    control("PATCH", "/clock", patch),
  ),
  tool(
    "sell_sample",
    "Let the service sign a sample invoice, as a POS does. It sends the PIN if the service asks for it.",
    object({
      pin: { ...TEXT, pattern: "^[0-9]{4}$", description: `default: ${PROFILE_SCHEMA.properties.pin.default}` },
    }),
    ({ url }, { pin = PROFILE_SCHEMA.properties.pin.default }: { readonly pin?: string }) => sellSample(url, pin),
  ),
  tool(
    "find_requests",
    'Find and count what the POS sent, such as {"where":{"method":"POST","signed":true}}. With nth it waits for the n-th of them.',
    FIND_REQUESTS,
    ({ control }, filter: object) => control("POST", "/traffic/find", filter),
  ),
  tool(
    "explain_request",
    "One request of find_requests: what was sent and answered, what its codes mean, and what the card did for it.",
    object({ id: { type: "integer", minimum: 0 } }, ["id"]),
    async ({ control }, { id }: { readonly id: number }) => {
      const records = (await control("GET", `/traffic?since=${id - 1}&before=${id + 1}`)) as readonly RequestRecord[];
      const [record] = records;
      if (!record) throw new Error(`there is no request ${id}; find_requests names them`);
      return explainRequest(record);
    },
  ),
  tool(
    "explain_code",
    "What a code such as 2110 means, and what a POS and a shop do about it.",
    object({ code: { ...TEXT, pattern: "^[0-9]{4}$" } }, ["code"]),
    (_till, { code }: { readonly code: string }) => {
      const rows = explainCode(code);
      if (rows.length === 0) throw new Error(`${code} is no code of the service; read_docs codes.md lists them`);
      return rows;
    },
  ),
  tool(
    "run_scenarios",
    "Play scenario files, each in a new world, and report what differs. Default: the scenarios that come with tillseal.",
    object({ paths: { type: "array", items: TEXT, description: "files or folders" }, tag: TEXT }),
    (_till, { paths, tag }: { readonly paths?: readonly string[]; readonly tag?: string }) => runScenarios(paths, tag),
  ),
  tool(
    "rehearse",
    "What an authority will ask of the POS: each row passed, failed or not seen, judged by what the POS has sent.",
    NOTHING,
    ({ control }) => control("GET", "/rehearsal"),
  ),
  tool(
    "put_situation",
    "Put a situation of the rehearsal that the POS must survive, such as a card that is pulled out.",
    SITUATION,
    ({ control }, situation: object) => control("POST", "/rehearsal/situation", situation),
  ),
  tool(
    "read_docs",
    "A page of the documentation, such as codes.md. Without a page: the list of all pages.",
    object({ page: TEXT }),
    (_till, { page = "llms.txt" }: { readonly page?: string }) => documentation(page),
  ),
];

async function situations(control: Control): Promise<readonly ScenarioRecord[]> {
  return (await control("GET", "/scenarios")) as readonly ScenarioRecord[];
}

async function sellSample(url: string, pin: string) {
  const first = await post(url, "/test-invoice");
  if (!first.text.includes("1500")) return answerOf(first);
  const { text } = await post(url, "/pin", pin);
  // If the service refused the PIN, another sale would get the same answer.
  return text === "0100" ? answerOf(await post(url, "/test-invoice")) : { ...answerOf(first), pin: text };
}

async function post(url: string, path: string, body?: string): Promise<HttpAnswer> {
  const headers = { "Content-Type": "text/plain" };
  const content = body === undefined ? {} : { body: Buffer.from(body) };
  const answer = await httpCall(url, { method: "POST", path: API_PREFIX + path, headers, ...content });
  if (!answer) throw new Error("the connection broke before an answer came");
  return answer;
}

/** Returns the answer without the picture of the QR code, which an agent cannot use. */
function answerOf({ status, text }: HttpAnswer) {
  const { verificationQRCode: _picture, ...answer } = JSON.parse(text) as Record<string, unknown>;
  return { status, answer };
}

async function runScenarios(paths: readonly string[] = [SHIPPED_SCENARIOS], tag: string | undefined) {
  let report = "";
  await runScenarioFiles({
    paths,
    reporter: "json",
    selection: tag === undefined ? {} : { tag },
    allowEmpty: false,
    bail: false,
    realTime: false,
    write: (text) => {
      report += text;
    },
  });
  return JSON.parse(report) as unknown;
}
