/**
 * Reads audits through the running service, or from the store if no service runs. Only a running service can start an
 * audit.
 */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { pino } from "pino";
import { AuthorityKeys } from "../authority/authority-key.js";
import { stickFiles } from "../authority/local-audit.js";
import { packagesFrom } from "../authority/missing-packages.js";
import { Packages } from "../authority/packages.js";
import type { StickEnd, StickFile, TakenCommands } from "../authority/stick-files.js";
import { systemClock } from "../base/clock.js";
import { systemRandom } from "../base/random.js";
import { UserError } from "../base/user-error.js";
import { dataDirOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import { auditsRecord } from "../console/audit-record.js";
import type {
  AuditBegunRecord,
  AuditsRecord,
  HeldRecord,
  MadeRecord,
  ToReadRecord,
} from "../console/records/audits.js";
import type { AuditLedger, MissingSales } from "../ledger/audit-ledger.js";
import { StoreError } from "../ledger/database.js";
import { asCaller } from "../ledger/folder-owner.js";
import { keptStores } from "../ledger/kept-stores.js";
import { StoreReading } from "../ledger/store-reading.js";
import { callService, type Place, serviceCall } from "./call-service.js";
import { explained, inStore } from "./in-store.js";
import { serviceOrStore } from "./service-or-store.js";

export interface AuditSource {
  /** URL of the service; undefined if no service runs. */
  readonly url: string | undefined;
  /** @throws UserError */
  read(): Promise<AuditsRecord>;
  /**
   * Starts an audit.
   * @param forStick whether to start the audit also without a connection to the authority
   * @throws UserError
   */
  start(forStick: boolean): Promise<AuditBegunRecord>;
  /** Yields the files for a stick in their order. @throws UserError, also if the list of files ends too early */
  files(uid: string): AsyncGenerator<StickFile>;
  /** Records that the last {@link files} of a card were written to a stick and read back. @throws UserError */
  carried(uid: string): Promise<void>;
  /** @throws UserError */
  take(uid: string, commands: string): Promise<TakenCommands>;
  /** Returns commands that wait for a person's confirmation, and changes that no person has seen. @throws UserError */
  toRead(): Promise<ToReadRecord>;
  /** Confirms commands that wait for a person's confirmation. @throws UserError */
  confirm(held: HeldRecord): Promise<void>;
  /** Refuses commands that wait for a person's confirmation. @throws UserError */
  refuse(held: HeldRecord): Promise<void>;
  /** Records that a person has seen the changes. @throws UserError */
  seen(made: readonly MadeRecord[]): Promise<void>;
}

/**
 * Returns the audits of the running service, or of the store.
 * @throws UserError if there is neither a service nor a store
 */
export function auditSource(config: LoadedConfig): Promise<AuditSource> {
  return serviceOrStore(config, ofService, (dataDir) => ofStore(config, dataDir));
}

/** @param running with the secret in its headers; another user than the service's may read audits without it */
export function ofService(running: Place): AuditSource {
  const call = serviceCall(running, "/audit");
  const newest = new Map<string, number | null>();
  return {
    url: running.url,
    read: async () => (await call("GET", "")) as AuditsRecord,
    start: async (forStick) => (await call("POST", "/start", { forStick })) as AuditBegunRecord,
    files: (uid) => filesOf(running, uid, ({ entry }) => newest.set(uid, entry)),
    carried: async (uid) => {
      const entry = newest.get(uid) ?? null;
      if (entry !== null && entry > 0) await call("POST", "/carried", { uid, entry });
    },
    take: async (uid, commands) => (await call("POST", "/commands", { uid, commands })) as TakenCommands,
    toRead: async () => (await call("GET", "/changes")) as ToReadRecord,
    // Send `twice` always, because the command has asked the person as often as the record requires.
    confirm: async ({ uid, ids }) => void (await call("POST", "/confirm", { uid, ids, twice: true })),
    refuse: async ({ uid, ids }) => void (await call("POST", "/refuse", { uid, ids })),
    seen: async (made) => void (await call("POST", "/seen", { ids: made.map(({ id }) => id) })),
  };
}

async function* filesOf(running: Place, uid: string, ended: (end: StickEnd) => void): AsyncGenerator<StickFile> {
  const path = `/audit/files?uid=${encodeURIComponent(uid)}`;
  const { body } = await callService(running, "GET", path, undefined, Number.POSITIVE_INFINITY);
  if (!body) throw cutShort();
  const lines = createInterface({ input: Readable.fromWeb(body as ReadableStream<Uint8Array>) });
  for await (const line of lines) {
    const file = JSON.parse(line) as StickFile | StickEnd;
    if ("end" in file) return ended(file);
    yield file;
  }
  throw cutShort();
}

function cutShort(): UserError {
  return new UserError("the service stopped before everything was copied: run this command again");
}

function ofStore({ settings }: LoadedConfig, dataDir: string): AuditSource {
  const { unsentLimit, authorityCertificate } = settings;
  const needsService = () => new UserError("start the service first: only the service talks to the card");
  return {
    url: undefined,
    read: () =>
      inStore(dataDir, (store) =>
        auditsRecord(store.audits(), store.authority(), {
          ...NOT_RUNNING,
          unsentLimit,
          configured: authorityCertificate !== undefined,
        }),
      ),
    start: () => Promise.reject(needsService()),
    files: (uid) => storedFiles(dataDir, uid),
    // Record nothing, because only the service writes to its store. At its next start, the service warns of these sales
    // again.
    carried: async () => undefined,
    take: () => Promise.reject(needsService()),
    toRead: () => Promise.reject(needsService()),
    confirm: () => Promise.reject(needsService()),
    refuse: () => Promise.reject(needsService()),
    seen: () => Promise.reject(needsService()),
  };
}

/**
 * Yields the packages of missing sales that another store has. The packages are made with the authority's key from that
 * store, or else from the store in the data folder.
 * @param file a store or a backup
 * @throws UserError if one of the two stores cannot be read
 */
export async function* filesFrom(
  { settings }: LoadedConfig,
  file: string,
  missing: readonly MissingSales[],
): AsyncGenerator<StickFile> {
  const opened: StoreReading[] = [];
  const open = (make: () => StoreReading) =>
    explained(async () => {
      const store = make();
      opened.push(store);
      return store;
    });
  try {
    const store = await open(() => asCaller(() => StoreReading.openFile(file)));
    const own = store.audits();
    const present = (await open(() => StoreReading.open(dataDirOf(settings)))).audits();
    const authorityKey = async (uid: string) => (await own.authorityKey(uid)) ?? present.authorityKey(uid);
    yield* packagesFrom(store, missing, packagesIn(own, authorityKey));
  } catch (error) {
    throw error instanceof StoreError ? new UserError(error.message) : error;
  } finally {
    for (const store of opened) store.close();
  }
}

function packagesIn(audits: AuditLedger, authorityKey = (uid: string) => audits.authorityKey(uid)): Packages {
  const keys = new AuthorityKeys(NO_CARD, { authorityKey, commit: (changes) => audits.commit(changes) });
  return new Packages({ audits, keys, clock: systemClock, random: systemRandom, log: pino({ level: "silent" }) });
}

async function* storedFiles(dataDir: string, uid: string): AsyncGenerator<StickFile> {
  const store = await explained(async () => StoreReading.open(dataDir));
  try {
    const audits = store.audits();
    const packages = packagesIn(audits);
    yield* stickFiles(uid, audits, packages, keptStores(dataDir));
  } finally {
    store.close();
  }
}

const NOT_RUNNING = { inReader: undefined, address: undefined };

const NO_CARD: ConstructorParameters<typeof AuthorityKeys>[0] = {
  state: { kind: "no-card", reason: "the service is not running", why: { code: "closed" }, noReader: true },
  taxAuthorityKey: async () => ({ kind: "no-card", reason: "the service is not running" }),
};
