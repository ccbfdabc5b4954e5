/** A complete service in this process, with an emulated card and the calls that a POS makes. */
import { request } from "node:http";
import { join } from "node:path";
import type { Logger } from "pino";
import { expect, onTestFinished } from "vitest";
import type { CardState } from "../../emulator/card/card-state.js";
import type { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { systemTimer, type Timer } from "../../src/base/clock.js";
import { systemRandom } from "../../src/base/random.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { loadConfig } from "../../src/config/load.js";
import type { Settings } from "../../src/config/settings.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import type { CardReader } from "../../src/secure-element/card-reader.js";
import { Service } from "../../src/service/service.js";
import type { ServiceHooks, ServiceParts } from "../../src/service/service-parts.js";
import { makeCard } from "./emulated-card.js";
import { temporaryFolder } from "./folder.js";
import { testLog } from "./log.js";
import { item, JSON_HEADERS, sale } from "./sale.js";

export { item, JSON_HEADERS, sale };

export interface TillOptions {
  readonly settings?: Partial<Settings>;
  readonly profile?: Record<string, unknown>;
  readonly card?: EmulatedCard;
  readonly reader?: EmulatedReader;
  readonly driver?: CardReader;
  /** Name of a fixture, or null for a service without configuration. */
  readonly environment?: string | null;
  /** ms since the epoch; default: the system's clock. */
  readonly now?: () => number;
  /** Timer for the waits of PINs. */
  readonly timer?: Timer;
  /** Timer for everything beside selling; default: `timer`. */
  readonly authorityTimer?: Timer;
  /** Whether openTill verifies the PIN; default: true. */
  readonly pinVerified?: boolean;
  /** Default: silent. */
  readonly log?: Logger;
  readonly hooks?: ServiceHooks;
  readonly openAuthority?: ServiceParts["openAuthority"];
  readonly cardKey?: ServiceParts["cardKey"];
  readonly askTime?: ServiceParts["askTime"];
  readonly freeBytes?: ServiceParts["freeBytes"];
  readonly diskTimer?: ServiceParts["diskTimer"];
  readonly settingsAccess?: ServiceParts["settingsAccess"];
  readonly endProcess?: ServiceParts["endProcess"];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; throws when it is not JSON. */
  json<T = Record<string, unknown>>(): T;
}

export interface CallOptions {
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array | object;
}

export interface Till {
  readonly url: string;
  readonly card: EmulatedCard;
  readonly reader: EmulatedReader;
  readonly service: Service;
  /** Counters and sum of the card. */
  cardState(): CardState;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  pin(pin?: string): Promise<Answer>;
  sell(invoice?: object, headers?: Record<string, string>): Promise<Answer>;
  stop(): Promise<void>;
}

export async function openTill(options: TillOptions = {}): Promise<Till> {
  const card = options.card ?? makeCard(options.profile);
  const reader = options.reader ?? new EmulatedReader();
  if (!options.reader && !options.driver) reader.insert(card);
  const { environment = "specification" } = options;
  const { settings } = loadConfig({ flags: { port: 0, ...options.settings } });
  const service = new Service({
    settings,
    reader: options.driver ?? reader,
    environment: environment === null ? undefined : loadNamedEnvironment(environment),
    clock: { now: options.now ?? (() => Date.now()) },
    random: systemRandom,
    timer: options.timer ?? systemTimer,
    authorityTimer: options.authorityTimer,
    log: options.log ?? testLog(),
    environmentName: environment ?? undefined,
    openAuthority: options.openAuthority,
    cardKey: options.cardKey,
    askTime: options.askTime,
    freeBytes: options.freeBytes,
    diskTimer: options.diskTimer,
    settingsAccess: options.settingsAccess,
    endProcess: options.endProcess,
    ...(options.hooks ? { hooks: options.hooks } : {}),
  });
  const url = await service.start();
  onTestFinished(() => service.stop());
  const till: Till = {
    url,
    card,
    reader,
    service,
    cardState: () => card.memory.load(),
    call: (method, path, call) => callService(url, method, path, call),
    pin: (pin = card.profile.pin) =>
      till.call("POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: pin }),
    sell: (invoice = sale(), headers = {}) =>
      till.call("POST", "/api/v3/invoices", { headers: { ...JSON_HEADERS, ...headers }, body: invoice }),
    stop: () => service.stop(),
  };
  if (options.pinVerified ?? true) await till.pin();
  return till;
}

/** The closed store of a till that has sold so often, under the RequestIds order-1 and so on. */
export async function soldStore(
  count: number,
  { invoice, ...options }: Omit<TillOptions, "settings"> & { readonly invoice?: object } = {},
) {
  const dataDir = temporaryFolder();
  const { card, sell, stop } = await openTill({ ...options, settings: { dataDir } });
  for (let i = 1; i <= count; i++) expect((await sell(invoice, { RequestId: `order-${i}` })).status).toBe(200);
  await stop();
  return { dataDir, file: join(dataDir, STORE_FILE), card };
}

/** Uses node:http instead of fetch, so that a test can send any header, or none. */
export function callService(
  url: string,
  method: string,
  path: string,
  { headers, body }: CallOptions = {},
): Promise<Answer> {
  const bytes =
    body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers: { ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: <T>() => JSON.parse(text) as T,
        });
      });
    });
    sent.on("error", reject);
    sent.end(bytes);
  });
}
