/** A world with its control interface; every answer is checked against the OpenAPI document. */
import { expect, onTestFinished } from "vitest";
import type { Given } from "../../emulator/world/given.js";
import { ERROR } from "../../emulator/world/schemas.js";
import { World } from "../../emulator/world/world.js";
import type { WorldOptions } from "../../emulator/world/world-options.js";
import { ControlServer } from "../../harness/control/control-server.js";
import { CONTROL_ENDPOINTS } from "../../harness/control/endpoints.js";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../harness/testkit.js";
import { statusOf } from "../../src/http/endpoint.js";
import type { GuardOptions } from "../../src/http/guard.js";
import { compileSchema, type JsonSchema } from "../../src/schema/validator.js";
import { testLog } from "./log.js";
import { type Answer, type CallOptions, callService, JSON_HEADERS, sale } from "./till.js";

export interface ControlledTill {
  readonly world: World;
  readonly controlUrl: string;
  /** Calls the control interface below /control. */
  control(method: string, path: string, body?: CallOptions["body"]): Promise<Answer>;
  pin(pin?: string): Promise<string>;
  sell(requestId?: string): Promise<Record<string, unknown>>;
  /** Code of an invoice's refusal, or "" when it was signed. */
  saleCode(): Promise<unknown>;
  status(): Promise<{ gsc: string[]; [field: string]: unknown }>;
}

export async function openControlled(
  given: Given = { card: { pinVerified: true } },
  options: WorldOptions = {},
  guard: GuardOptions = { allowedHosts: [], allowedOrigins: [] },
): Promise<ControlledTill> {
  const world = await World.open(given, options);
  const address = { port: 0, host: "127.0.0.1", ...guard };
  const server = await ControlServer.open(world, { ...address, log: testLog() });
  onTestFinished(async () => {
    await server.close();
    await world.close();
  });
  const till = (method: string, path: string, call?: CallOptions) =>
    callService(world.url, method, `/api/v3${path}`, call);
  const sell: ControlledTill["sell"] = async (RequestId = "") =>
    (await till("POST", "/invoices", { headers: { ...JSON_HEADERS, RequestId }, body: sale() })).json();
  return {
    world,
    controlUrl: server.url,
    control: async (method, path, body) => {
      const answer = await callService(server.url, method, `/control${path}`, body === undefined ? {} : { body });
      expectDescribed(method, path, answer);
      return answer;
    },
    pin: async (pin = "1234") =>
      (await till("POST", "/pin", { headers: { "Content-Type": "text/plain" }, body: pin })).text,
    sell,
    saleCode: async () => (await sell()).code ?? "",
    status: async () => (await till("GET", "/status")).json(),
  };
}

function expectDescribed(method: string, path: string, answer: Answer): void {
  if (answer.status >= 400) {
    expectValid(ERROR, answer);
    return;
  }
  const endpoint = CONTROL_ENDPOINTS.find(
    (candidate) =>
      candidate.method === method &&
      new RegExp(`^/control${candidate.path.replaceAll(/:\w+/g, "[^/]+")}$`).test(`/control${path.split("?")[0]}`),
  );
  if (!endpoint) throw new Error(`${method} ${path} is not described`);
  expect(answer.status).toBe(statusOf(endpoint));
  if (endpoint.answer) expectValid(endpoint.answer, answer);
  else expect(answer.text).toBe("");
}

function expectValid(schema: JsonSchema, answer: Answer): void {
  const validate = compileSchema(schema);
  validate(answer.json());
  expect(validate.errors ?? []).toEqual([]);
}

/** An emulated world that is closed when the test ends. */
export async function openedWorld(given: Given = {}, options: WorldOptions = {}): Promise<World> {
  const world = await World.open(given, options);
  onTestFinished(() => world.close());
  return world;
}

/** A kit's emulator that is closed when the test ends. */
export async function openedEmulator(options?: EmulatorOptions): Promise<Emulator> {
  const emulator = await createEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}
