/** Reads and changes audits. Only a running service can start an audit. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { pino } from "pino";
import { AuthorityKeys } from "../authority/authority-key.js";
import { packagesFrom } from "../authority/local-audit.js";
import { Packages } from "../authority/packages.js";
import type { StickEnd, StickFile, TakenCommands } from "../authority/stick-files.js";
import { systemClock } from "../base/clock.js";
import { systemRandom } from "../base/random.js";
import { UserError } from "../base/user-error.js";
import { dataDirOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import type {
  AuditBegunRecord,
  AuditsRecord,
  HeldRecord,
  MadeRecord,
  ToReadRecord,
} from "../console/records/audits.js";
import type { MissingSales } from "../ledger/audit-ledger.js";
import { asCaller } from "../ledger/folder-owner.js";
import { StoreReading } from "../ledger/store-reading.js";
import { callService, type ServiceCall, type ServicePlace, serviceCall } from "./call-service.js";

export type AuditSource = ReturnType<typeof auditSource>;

/**
 * Each function throws UserError if the service refuses.
 * @param place another user than the service's may read audits without the secret in its headers
 */
export function auditSource(place: ServicePlace) {
  const { url } = place;
  const call = serviceCall(place, "/audit");
  const change: ServiceCall = async (...request) => {
    if (url === undefined) throw new UserError("start the service first: only the service talks to the card");
    return call(...request);
  };
  const newest = new Map<string, number | null>();
  return {
    /** URL of the service; undefined if no service runs. */
    url,
    read: async () => (await call("GET", "")) as AuditsRecord,
    /** @param forStick whether to start the audit also without a connection to the authority */
    start: async (forStick: boolean) => (await change("POST", "/start", { forStick })) as AuditBegunRecord,
    /** Yields the files for a stick in their order. @throws UserError, also if the list of files ends too early */
    files: (uid: string) => filesOf(place, uid, ({ entry }) => newest.set(uid, entry)),
    /** Records that the last files of a card were written to a stick and read back. */
    carried: async (uid: string) => {
      const entry = newest.get(uid) ?? null;
      // Record nothing if no service runs. At its next start, the service warns of these sales again.
      if (url !== undefined && entry !== null && entry > 0) await call("POST", "/carried", { uid, entry });
    },
    take: async (uid: string, commands: string) =>
      (await change("POST", "/commands", { uid, commands })) as TakenCommands,
    /** Returns commands that wait for a person's confirmation, and changes that no person has seen. */
    toRead: async () => (await call("GET", "/changes")) as ToReadRecord,
    // Send `twice` always, because the command has asked the person as often as the record requires.
    confirm: async ({ uid, ids }: HeldRecord) => void (await change("POST", "/confirm", { uid, ids, twice: true })),
    refuse: async ({ uid, ids }: HeldRecord) => void (await change("POST", "/refuse", { uid, ids })),
    seen: async (made: readonly MadeRecord[]) =>
      void (await change("POST", "/seen", { ids: made.map(({ id }) => id) })),
  };
}

async function* filesOf(place: ServicePlace, uid: string, ended: (end: StickEnd) => void): AsyncGenerator<StickFile> {
  const path = `/audit/files?uid=${encodeURIComponent(uid)}`;
  const answer = await callService(place, "GET", path, undefined, Number.POSITIVE_INFINITY);
  // Without a service, this process reads the store: all of it before the stick is written with the caller's rights.
  const lines =
    place.url === undefined
      ? (await answer.text()).trimEnd().split("\n")
      : createInterface({ input: Readable.fromWeb(answer.body as ReadableStream<Uint8Array>) });
  for await (const line of lines) {
    const file = JSON.parse(line) as StickFile | StickEnd;
    if ("end" in file) return ended(file);
    yield file;
  }
  throw new UserError("the service stopped before everything was copied: run this command again");
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
  const open = (make: () => StoreReading) => {
    const store = make();
    opened.push(store);
    return store;
  };
  try {
    const [store, own] = asCaller(() => {
      const other = open(() => StoreReading.openFile(file));
      return [other, other.audits()] as const;
    });
    const present = open(() => StoreReading.open(dataDirOf(settings))).audits();
    const authorityKey = async (uid: string) => (await own.authorityKey(uid)) ?? present.authorityKey(uid);
    const keys = new AuthorityKeys(NO_CARD, { authorityKey, commit: (changes) => own.commit(changes) });
    const log = pino({ level: "silent" });
    const packages = new Packages({ audits: own, keys, clock: systemClock, random: systemRandom, log });
    yield* packagesFrom(store, missing, packages);
  } finally {
    for (const store of opened) store.close();
  }
}

const NO_CARD: ConstructorParameters<typeof AuthorityKeys>[0] = {
  state: { kind: "no-card", reason: "the service is not running", why: { code: "closed" }, noReader: true },
  taxAuthorityKey: async () => ({ kind: "no-card", reason: "the service is not running" }),
};
