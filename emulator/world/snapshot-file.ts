/**
 * Writes and reads a snapshot as a file. The file is compressed with gzip. It contains a first line, a line of JSON
 * with everything except the store, and the bytes of the store. People share such files, so this code checks everything
 * that it reads from them.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { messageOf } from "../../src/base/thrown.js";
import { ConfigError } from "../../src/config/config-error.js";
import { CONSOLE_SETTINGS, SETTINGS } from "../../src/config/settings.js";
import { LimitError } from "../../src/http/call-errors.js";
import { SCHEMA_VERSION } from "../../src/ledger/schema.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { objectSchema, textLike } from "../../src/schema/json-schema.js";
import { compileSchema, explainErrors, parseJson } from "../../src/schema/validator.js";
import type { CardState } from "../card/card-state.js";
import { EARLIEST, LATEST } from "../faults/emulated-clock.js";
import { AUTHORITY_FAULTS_SCHEMA } from "../tax-authority/authority-faults.js";
import { GIVEN_SCHEMA, type Given } from "./given.js";
import { EMULATOR_LIMITS } from "./limits.js";
import { FAULT_SET } from "./schemas.js";
import { World } from "./world.js";
import type { Snapshot } from "./world-snapshots.js";

const FIRST_LINE = "tillseal snapshot 2\n";
const SQLITE = "SQLite format 3\0";

const count = (maximum: number) => ({ type: "integer", minimum: 0, maximum });
const U32 = count(2 ** 32 - 1);
/** Schema of an amount, scaled by 10,000. It has at most 17 digits, because a card keeps it in seven bytes. */
const AMOUNT = textLike("^\\d{1,17}$", "digits");
const HEX = { type: ["string", "null"], pattern: "^([0-9a-f]{2}){0,2048}$", "x-expected": "hexadecimal" };
const BOOLEAN = { type: "boolean" };
const NAME = { type: "string", minLength: 1, maxLength: 200 };

const CARD = objectSchema({
  pinTriesLeft: count(255),
  pkiPinTriesLeft: count(255),
  disabled: BOOLEAN,
  totalCounter: U32,
  startCounter: U32,
  pairCounters: { type: "array", minItems: 10, maxItems: 10, items: U32 },
  sum: AMOUNT,
  limit: AMOUNT,
  lastAnswer: HEX,
  auditNonce: HEX,
});

/** Pattern of a package's key: UID and counter. The UID becomes the name of a folder (`uidInPath`). */
const PACKAGE_KEY = "^[\\x21-\\x7e]{1,20}/\\d{1,10}$";

const HEAD = objectSchema(
  {
    given: GIVEN_SCHEMA,
    cards: {
      type: "object",
      minProperties: 1,
      maxProperties: EMULATOR_LIMITS.cards.value + 1,
      additionalProperties: CARD,
    },
    current: NAME,
    inserted: BOOLEAN,
    plugged: BOOLEAN,
    pinVerified: BOOLEAN,
    auditRequest: HEX,
    clock: objectSchema({ now: { type: "integer", minimum: EARLIEST, maximum: LATEST }, ticking: BOOLEAN }),
    faults: { type: "array", maxItems: EMULATOR_LIMITS.faults.value, items: FAULT_SET },
    authority: objectSchema({
      content: objectSchema({
        register: { type: ["string", "null"] },
        packages: { type: "object", propertyNames: { pattern: PACKAGE_KEY }, additionalProperties: { type: "string" } },
        verdicts: { type: "array", items: { type: "string" } },
      }),
      faults: AUTHORITY_FAULTS_SCHEMA,
    }),
  },
  ["given", "cards", "current", "inserted", "plugged", "pinVerified", "auditRequest", "clock", "faults"],
);

/** Everything except the store, with amounts as decimal text and bytes as hexadecimal text. */
interface Head extends Omit<Snapshot, "cards" | "auditRequest" | "store"> {
  readonly cards: Readonly<Record<string, Omit<CardState, "sum" | "limit"> & { sum: string; limit: string }>>;
  readonly auditRequest: string | null;
}

const validate = compileSchema<Head>(HEAD, EMULATOR_LIMITS.snapshotValues.value);

/** @param given without paths, so that another machine can read it @throws LimitError */
export async function writeSnapshotFile(snapshot: Snapshot, given: Given): Promise<Buffer> {
  const { store, auditRequest, ...rest } = snapshot;
  const request = auditRequest ? Buffer.from(auditRequest).toString("hex") : null;
  const head = { ...rest, cards: Object.fromEntries(rest.cards), given: withoutPlace(given), auditRequest: request };
  const json = JSON.stringify(head, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  const packed = await promisify(gzip)(Buffer.concat([Buffer.from(`${FIRST_LINE}${json}\n`), store]));
  if (packed.length > EMULATOR_LIMITS.snapshotFile.value) throw new LimitError(EMULATOR_LIMITS.snapshotFile);
  return packed;
}

/**
 * Reads a snapshot and checks only the form of the file. {@link loadSnapshot} then starts a world from the snapshot to
 * check the rest.
 * @throws ConfigError if the file is no snapshot or is damaged, LimitError if it is too large
 */
export async function readSnapshotFile(file: Uint8Array): Promise<Snapshot> {
  const bytes = await unpacked(file);
  const start = Buffer.byteLength(FIRST_LINE);
  const end = bytes.indexOf(0x0a, start);
  if (bytes.subarray(0, start).toString("latin1") !== FIRST_LINE || end < 0) {
    throw new ConfigError("This is not a snapshot of this version of tillseal");
  }
  const head = headOf(bytes.subarray(start, end).toString("utf8"));
  const store = Buffer.from(bytes.subarray(end + 1));
  if (store.subarray(0, SQLITE.length).toString("latin1") !== SQLITE) throw damaged("it has no store");
  const { cards, auditRequest, given, ...rest } = head;
  const states = Object.entries(cards).map(([name, { sum, limit, ...state }]) => {
    return [name, { ...state, sum: BigInt(sum), limit: BigInt(limit) }] as const;
  });
  return {
    ...rest,
    given: withoutPlace(given),
    cards: new Map(states),
    auditRequest: auditRequest === null ? undefined : Buffer.from(auditRequest, "hex"),
    store,
  };
}

async function unpacked(file: Uint8Array): Promise<Buffer> {
  const { snapshotFile, snapshotUnpacked } = EMULATOR_LIMITS;
  if (file.length > snapshotFile.value) throw new LimitError(snapshotFile);
  try {
    return await promisify(gunzip)(file, { maxOutputLength: snapshotUnpacked.value });
  } catch (error) {
    if (error instanceof RangeError) throw new LimitError(snapshotUnpacked);
    throw new ConfigError("This is not a snapshot: it cannot be unpacked");
  }
}

function headOf(text: string): Head {
  const { snapshotValues } = EMULATOR_LIMITS;
  let head: unknown;
  try {
    head = parseJson(text, snapshotValues.value);
  } catch (error) {
    if (error instanceof RangeError) throw new LimitError(snapshotValues);
    throw damaged("its description is not JSON");
  }
  if (!validate(head)) throw damaged(explainErrors(validate.errors?.slice(0, 5), "the description").join("; "));
  return head;
}

/** Keeps only settings that change receipts. Access, folders and retention belong to this machine. */
function withoutPlace(given: Given): Given {
  if (!given.settings) return given;
  const settings = Object.entries(given.settings).filter(([name]) => OF_RECEIPTS.includes(name));
  return { ...given, settings: Object.fromEntries(settings) };
}

const OF_RECEIPTS: readonly string[] = CONSOLE_SETTINGS.filter((name) => SETTINGS[name].console !== "listen");

function damaged(why: string): ConfigError {
  return new ConfigError(`This snapshot is damaged: ${why}`);
}

/** @param file untrusted @throws ConfigError if the snapshot cannot be used, LimitError if it is too large */
export async function loadSnapshot(file: Uint8Array): Promise<Snapshot> {
  const snapshot = await readSnapshotFile(file);
  try {
    requireOwnStore(Buffer.from(snapshot.store));
    await tryOut(snapshot);
  } catch (error) {
    const why = messageOf(error);
    throw new ConfigError(`This snapshot cannot be used: ${why}`);
  }
  return snapshot;
}

function requireOwnStore(store: Buffer): void {
  // SQLite keeps the number of the schema there (sqlite.org/fileformat2.html, section 1.3).
  const schema = store.readUInt32BE(60);
  if (schema !== SCHEMA_VERSION) throw damaged(`its store has schema ${schema}, this tillseal has ${SCHEMA_VERSION}`);
  const folder = mkdtempSync(join(tmpdir(), "tillseal-snapshot-"));
  try {
    const file = join(folder, "store.db");
    writeFileSync(file, store, { mode: 0o600 });
    StoreReading.openFile(file).use((opened) => {
      // The check of the store runs the expressions of its indexes, so foreign ones must be refused before it.
      const first = opened.foreignObjects()[0] ?? opened.integrity()[0];
      if (first !== undefined) throw damaged(`its store is not as tillseal makes it: ${first}`);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a world from the snapshot, in a temporary folder and on free ports. */
async function tryOut(snapshot: Snapshot): Promise<void> {
  const { given, cards, current } = snapshot;
  const world = await World.open(given, { otherAuthorityPort: true });
  try {
    if ([...world.cards.names].sort().join("\n") !== [...cards.keys()].sort().join("\n") || !cards.has(current)) {
      throw new ConfigError("its cards do not match its given");
    }
    await world.begin(given, { content: snapshot });
  } finally {
    await world.close();
  }
}
