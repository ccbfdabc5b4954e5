/** A service without a port, a card and background parts answers commands that need a store while no service runs. */
import { EventEmitter } from "node:events";
import { createServer, request } from "node:http";
import { duplexPair, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { pino } from "pino";
import { systemClock, systemTimer } from "../base/clock.js";
import { systemRandom } from "../base/random.js";
import type { Settings } from "../config/settings.js";
import { ConsoleEvents } from "../console/events.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import type { Store } from "../ledger/database.js";
import { ApduSecureElement } from "../secure-element/apdu/apdu-secure-element.js";
import { type CardChannel, CardError, type CardReader } from "../secure-element/card-reader.js";
import type { SecureElement } from "../secure-element/secure-element.js";
import { Composition } from "./composition.js";
import { TEMPORARY_SERIAL_NUMBER } from "./device.js";
import { appOf } from "./http-app.js";
import { Observation } from "./observation.js";
import type { ServiceParts } from "./service-parts.js";

interface SentInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

interface KnownParts {
  readonly settings: Settings;
  /** The caller closes it. Its handlers only read a store that was opened for reading. */
  readonly store: Store;
  /** A card that the caller has opened; default: none. */
  readonly secureElement?: SecureElement;
  readonly environment?: FiscalEnvironment | undefined;
  readonly environmentName?: string;
}

export async function serviceWithoutPort({
  settings,
  store,
  secureElement = new ApduSecureElement(new NoReader()),
  environment,
  environmentName,
}: KnownParts) {
  const folder = store.dataDir;
  const { deviceSerialNumber = TEMPORARY_SERIAL_NUMBER, authorityCertificate } = settings;
  const notNow = () => {
    throw new Error("no service answers that could talk to the authority");
  };
  const parts: ServiceParts = {
    settings: { ...settings, dataDir: folder, deviceSerialNumber, metrics: false, trafficMinutes: 0 },
    reader: new NoReader(),
    environment,
    environmentName,
    clock: systemClock,
    timer: systemTimer,
    random: systemRandom,
    log: pino({ level: "silent" }),
    openAuthority: authorityCertificate === undefined ? undefined : notNow,
  };
  const composition = await Composition.build({
    parts,
    folder,
    store,
    secureElement,
    observation: new Observation(parts),
    events: new ConsoleEvents(),
    access: { secret: SECRET, token: SECRET, stopAccess: undefined },
  });
  const { listener, messages } = appOf(composition);
  const server = createServer(messages, listener);
  return {
    composition,
    /** Sends a request to the handlers, as `fetch` sends it to a service that listens. */
    fetch: (url: string, init: SentInit) => answerTo(url, init, (connection) => server.emit("connection", connection)),
  };
}

/** Makes the handlers trust the commands. Nothing else can send them a request. */
const SECRET = Buffer.from(systemRandom.bytes(32)).toString("base64url");

function answerTo(url: string, { method, headers, body }: SentInit, connect: (end: NodeJS.ReadWriteStream) => void) {
  const [ours, theirs] = duplexPair();
  connect(theirs);
  const { pathname, search } = new URL(url);
  const options = { method, path: pathname + search, headers: { ...headers, Authorization: `Bearer ${SECRET}` } };
  return new Promise<Response>((resolve, reject) => {
    const outgoing = request({ ...options, createConnection: () => ours }, (answer) => {
      const status = answer.statusCode ?? 0;
      resolve(new Response(status === 204 ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>), { status }));
    });
    outgoing.once("error", reject).end(body);
  });
}

class NoReader extends EventEmitter<{ inserted: []; removed: [] }> implements CardReader {
  readonly slot = "no-reader";
  readonly description = "the service is not running";
  readonly why = { code: "closed" } as const;
  async start(): Promise<void> {}
  async connect(): Promise<CardChannel> {
    throw new CardError("reader-lost", this.description);
  }
  async close(): Promise<void> {}
}
