/** Runs `tillseal proxy`. */
import type { Server } from "node:http";
import { pino } from "pino";
import { EmulatedClock } from "../../emulator/faults/emulated-clock.js";
import { Faults } from "../../emulator/faults/fault-list.js";
import { systemClock } from "../../src/base/clock.js";
import { systemRandom } from "../../src/base/random.js";
import { UserError } from "../../src/base/user-error.js";
import { at, ConfigError, wrongContent } from "../../src/config/config-error.js";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { callRecord } from "../../src/http/call-errors.js";
import { Connections } from "../../src/http/connections.js";
import { endpointRouter } from "../../src/http/endpoint-router.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { errorRecord } from "../../src/http/errors.js";
import { closeAll, listenOnAll, urlOf } from "../../src/http/listen.js";
import { makeServer, type ServerRefusal } from "../../src/http/server.js";
import { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { compileSchema, wrongIn } from "../../src/schema/validator.js";
import { controlApp } from "../control/app.js";
import { fieldsOf, jsonIn } from "../scenario/json.js";
import { CONTROL_PREFIX, type TlsFlags } from "../scenario/remote.js";
import { tlsOptions } from "../scenario/tls-options.js";
import { createProxyApp } from "./proxy-app.js";
import { PROXY_ENDPOINTS, proxyControlHandlers } from "./proxy-control.js";
import { PROXY_FAULT_SCHEMA, type ProxyFault, ProxyFaults } from "./proxy-fault.js";
import { Target, TargetError } from "./target.js";
import { givenOfTarget } from "./target-given.js";
import { TargetRecorder } from "./target-recorder.js";
import { TypedPins } from "./typed-pins.js";

/** The proxy writes no log, because a path may contain a token. It prints messages for people. */
const SILENT = pino({ level: "silent" });

export interface ProxyOptions extends TlsFlags {
  readonly target: URL;
  readonly port: number;
  readonly host: string;
  readonly record?: string;
  readonly faults: readonly string[];
  readonly controlPort?: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly vsdc?: boolean;
  /** Headers of the proxy's requests for the target's rates, such as PAC. Requests of the POS keep the headers of the POS. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once, when the recording can no longer be written. */
  readonly failed: (reason: string) => void;
}

export type RunningProxy = Awaited<ReturnType<typeof openProxy>>;

/** Rejects with ConfigError (a wrong option), UserError (no fiscal service answers) or the system's error. */
export async function openProxy(options: ProxyOptions) {
  const { vsdc: online = false } = options;
  const target = new Target(options.target, tlsOptions(options));
  const faults = new ProxyFaults(systemRandom);
  for (const text of options.faults) faults.add(at(`--fault ${text}`, () => faultIn(text)));
  const clock = new EmulatedClock(systemClock, { realTime: true });
  const ended = new AbortController();
  const traffic = new TrafficLog(() => systemClock, systemClock);
  const pins = new TypedPins();
  const recorder = options.record === undefined ? undefined : await recorderOf(target, options.record, pins, options);
  recorder?.follow(traffic);
  const times = { faults: new Faults(systemRandom), clock, ended: ended.signal };
  const app = createProxyApp({ target, faults, times, traffic, pins, online, log: SILENT }, options);
  const record = ({ code, sentence }: ServerRefusal) => errorRecord(FiscalError.of(code, "", sentence));
  const servers = await listenOnAll(() => makeServer(serverParts(app, record)), options);
  const control = await controlOf(options, faults, traffic).catch(async (error: unknown) => {
    await closeAll(servers);
    throw error;
  });
  return {
    url: urlOf(servers[0]) ?? "",
    controlUrl: urlOf(control[0]),
    /** Origin of the target, without a path. */
    target: target.origin,
    traffic,
    /** Asks the target for the code of its country; undefined if the target does not say it. */
    country: async () => {
      const path = `${API_PREFIX}/environment-parameters`;
      const { country } = fieldsOf(await asked(target, path, {}).catch(() => undefined));
      return typeof country === "string" ? country : undefined;
    },
    fault: (fault: ProxyFault) => void faults.add(fault),
    /** Returns lines about the exchanges that are not in the recording. */
    leftOut: () => [...(recorder?.leftOut ?? [])].map(([why, count]) => `${count} left out: ${why}`),
    close: async () => {
      ended.abort();
      await closeAll([...servers, ...control]);
    },
  };
}

const isFault = compileSchema<ProxyFault>(PROXY_FAULT_SCHEMA);

/** Reads a fault from its JSON. @throws ConfigError if the text is not a fault */
function faultIn(text: string): ProxyFault {
  const fault = jsonIn(text);
  if (fault === undefined)
    throw new ConfigError(`expected JSON such as '{"on":"answer","kind":"latency","duration":"3s"}'`);
  if (isFault(fault)) return fault;
  throw wrongContent(wrongIn(isFault.errors, "the fault", "names"));
}

async function recorderOf(target: Target, file: string, pins: TypedPins, options: ProxyOptions) {
  const { failed, vsdc: online = false, headers = {} } = options;
  const status = await asked(target, `${API_PREFIX}/status`, headers);
  if (!Array.isArray(fieldsOf(status).gsc)) {
    throw new UserError(
      `what answers at ${target.origin} is not a fiscal service: GET ${API_PREFIX}/status has no gsc`,
    );
  }
  const given = givenOfTarget(status, await asked(target, `${API_PREFIX}/environment-parameters`, headers), online);
  return new TargetRecorder({ file, given, pins, online, failed });
}

/** @returns undefined if the answer is not JSON @throws UserError if the target does not answer */
async function asked(target: Target, path: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]);
  const answer = await target
    .send("GET", path, { accept: ["application/json"], ...Object.fromEntries(lines) }, Buffer.alloc(0))
    .catch((error: unknown) => {
      if (!(error instanceof TargetError)) throw error;
      throw new UserError(`no whole answer from ${target.origin}: ${error.message}`);
    });
  return jsonIn(answer.body.toString("utf8"));
}

async function controlOf(options: ProxyOptions, faults: ProxyFaults, traffic: TrafficLog): Promise<Server[]> {
  const { controlPort: port, host } = options;
  if (port === undefined) return [];
  const handlers = proxyControlHandlers(faults, traffic);
  const router = endpointRouter(PROXY_ENDPOINTS, ({ name }) => handlers[name]);
  const details = PROXY_ENDPOINTS.map(({ method, path }) => `${method} ${CONTROL_PREFIX}${path}`);
  const app = controlApp(router, { ...options, methods: ["GET", "POST", "DELETE"] }, { log: SILENT, details });
  return listenOnAll(() => makeServer(serverParts(app, ({ sentence }) => callRecord(sentence))), { port, host });
}

function serverParts(app: Parameters<typeof makeServer>[0]["app"], record: (refusal: ServerRefusal) => object) {
  return { app, record, connections: new Connections(), log: SILENT };
}
