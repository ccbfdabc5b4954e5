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
import { SCHEMA_VERSION } from "../../src/ledger/schema.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { objectSchema } from "../../src/schema/json-schema.js";
import { compileSchema, explainErrors } from "../../src/schema/validator.js";
import { EARLIEST, LATEST } from "../faults/emulated-clock.js";
import type { SetFault } from "../faults/fault.js";
import { FAULT_SCHEMA } from "../faults/fault-schema.js";
import { AUTHORITY_FAULTS_SCHEMA } from "../tax-authority/authority-faults.js";
import { EMULATOR_LIMITS, LimitError } from "../tax-authority/endpoint/limits.js";
import { GIVEN_SCHEMA, type Given } from "./given.js";
import { World } from "./world.js";
import type { AuthoritySnapshot } from "./world-folder.js";
import type { Snapshot } from "./world-snapshots.js";

const FIRST_LINE = "tillseal snapshot 1\n";
const SQLITE = "SQLite format 3\0";

const count = (maximum: number) => ({ type: "integer", minimum: 0, maximum });
const U32 = count(2 ** 32 - 1);
/** Schema of an amount, scaled by 10,000. It has at most 17 digits, because a card keeps it in seven bytes. */
const AMOUNT = { type: "string", pattern: "^\\d{1,17}$" };
const HEX = { type: ["string", "null"], pattern: "^([0-9a-f]{2}){0,2048}$" };
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

const SET_FAULT = {
  type: "object",
  required: ["id", "seen", "struck", "fault"],
  additionalProperties: false,
  properties: { id: count(2 ** 31), seen: count(2 ** 31), struck: count(2 ** 31), fault: FAULT_SCHEMA },
};

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
    faults: { type: "array", maxItems: EMULATOR_LIMITS.faults.value, items: SET_FAULT },
    authority: objectSchema({
      register: { type: ["string", "null"] },
      packages: { type: "object", propertyNames: { pattern: PACKAGE_KEY }, additionalProperties: { type: "string" } },
      verdicts: { type: "array", items: { type: "string" } },
      faults: AUTHORITY_FAULTS_SCHEMA,
    }),
  },
  ["given", "cards", "current", "inserted", "plugged", "pinVerified", "auditRequest", "clock", "faults"],
);

interface Head extends Omit<Snapshot, "cards" | "auditRequest" | "authority" | "faults" | "store"> {
  readonly cards: Readonly<Record<string, object & { readonly sum: string; readonly limit: string }>>;
  readonly auditRequest: string | null;
  readonly faults: readonly {
    readonly id: number;
    readonly seen: number;
    readonly struck: number;
    readonly fault: object;
  }[];
  readonly authority?: {
    readonly register: string | null;
    readonly packages: Readonly<Record<string, string>>;
    readonly verdicts: readonly string[];
    readonly faults: AuthoritySnapshot["faults"];
  };
}

let validate: ReturnType<typeof compileSchema<Head>> | undefined;

/**
 * Writes a snapshot as a file.
 * @param given the snapshot's `given` without paths, so that another machine can read it
 * @throws LimitError if the file is too large
 */
export async function writeSnapshotFile(snapshot: Snapshot, given: Given): Promise<Buffer> {
  const { cards, current, inserted, plugged, pinVerified, auditRequest, clock, faults, authority, store } = snapshot;
  const head: Head = {
    given: withoutPlace(given),
    cards: Object.fromEntries(
      [...cards].map(([name, state]) => [name, { ...state, sum: String(state.sum), limit: String(state.limit) }]),
    ),
    current,
    inserted,
    plugged,
    pinVerified,
    clock,
    auditRequest: auditRequest ? Buffer.from(auditRequest).toString("hex") : null,
    faults: faults.map(({ id, seen, struck, ...fault }) => ({ id, seen, struck, fault })),
    ...(authority ? { authority: authorityOf(authority) } : {}),
  };
  const packed = await promisify(gzip)(Buffer.concat([Buffer.from(`${FIRST_LINE}${JSON.stringify(head)}\n`), store]));
  if (packed.length > EMULATOR_LIMITS.snapshotFile.value) throw new LimitError(EMULATOR_LIMITS.snapshotFile);
  return packed;
}

function authorityOf({ content, faults }: AuthoritySnapshot): NonNullable<Head["authority"]> {
  const { register = null, packages, verdicts } = content;
  return { register, packages: Object.fromEntries(packages), verdicts, faults };
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
  const { cards, auditRequest, faults, authority, given, ...rest } = head;
  return {
    ...rest,
    given: withoutPlace(given),
    cards: new Map(Object.entries(cards).map(([name, card]) => [name, cardOf(card)])),
    auditRequest: auditRequest === null ? undefined : Buffer.from(auditRequest, "hex"),
    faults: faults.map(({ fault, ...counts }) => ({ ...fault, ...counts }) as SetFault),
    authority: authority && {
      content: {
        register: authority.register ?? undefined,
        packages: new Map(Object.entries(authority.packages)),
        verdicts: authority.verdicts,
      },
      faults: authority.faults,
    },
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
  let head: unknown;
  try {
    head = JSON.parse(text);
  } catch {
    throw damaged("its description is not JSON");
  }
  validate ??= compileSchema<Head>(HEAD);
  if (!validate(head)) throw damaged(explainErrors(validate.errors?.slice(0, 5), "the description").join("; "));
  return head;
}

function cardOf({ sum, limit, ...rest }: Head["cards"][string]) {
  return { ...rest, sum: BigInt(sum), limit: BigInt(limit) } as Snapshot["cards"] extends ReadonlyMap<string, infer C>
    ? C
    : never;
}

/**
 * Returns `given` with only those settings that change receipts. Access, folders and retention times belong to this
 * machine.
 */
function withoutPlace(given: Given): Given {
  if (!given.settings) return given;
  const settings = Object.entries(given.settings).filter(([name]) => OF_RECEIPTS.includes(name));
  return { ...given, settings: Object.fromEntries(settings) };
}

const OF_RECEIPTS: readonly string[] = CONSOLE_SETTINGS.filter((name) => SETTINGS[name].console !== "listen");

function damaged(why: string): ConfigError {
  return new ConfigError(`This snapshot is damaged: ${why}`);
}

/**
 * Reads a snapshot and tries it out.
 * @param file the content of the file, which is untrusted
 * @throws ConfigError if the snapshot cannot be used, LimitError if it is too large
 */
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
      const [first] = [...opened.foreignObjects(), ...opened.integrity()];
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
    await world.snapshots.goBackTo(snapshot);
  } finally {
    await world.close();
  }
}
