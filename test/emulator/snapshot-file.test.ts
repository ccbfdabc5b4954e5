/** Snapshots as files: another emulator continues from one, and a hostile file is refused and changes nothing. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { EMULATOR_LIMITS } from "../../emulator/world/limits.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { openControlled } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";

const VERIFIED = { pinVerified: true };

const getFile = async (controlUrl: string, name: string) =>
  Buffer.from(await (await fetch(`${controlUrl}/control/snapshots/${name}/file`)).arrayBuffer());
const putFile = async (controlUrl: string, name: string, body: Buffer) => {
  const answer = await fetch(`${controlUrl}/control/snapshots/${name}/file`, {
    method: "PUT",
    body: new Uint8Array(body),
    headers: { "Content-Type": "application/octet-stream" },
  });
  const text = await answer.text();
  return {
    status: answer.status,
    message: text === "" ? "" : String((JSON.parse(text) as { message: string }).message),
  };
};

const FIRST_LINE = "tillseal snapshot 2\n";

/** The file with another description or another store. */
function altered(
  file: Buffer,
  change: { head?: (head: Record<string, unknown>) => unknown; store?: (store: Buffer) => Buffer },
) {
  const bytes = gunzipSync(file);
  const end = bytes.indexOf(0x0a, FIRST_LINE.length);
  const head = JSON.parse(bytes.subarray(FIRST_LINE.length, end).toString()) as Record<string, unknown>;
  const store = Buffer.from(bytes.subarray(end + 1));
  const description = JSON.stringify(change.head?.(head) ?? head);
  return gzipSync(Buffer.concat([Buffer.from(`${FIRST_LINE}${description}\n`), change.store?.(store) ?? store]));
}

/** The store with changes by these SQL statements. */
function withSql(store: Buffer, sql: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-test-"));
  try {
    const file = join(folder, "store.db");
    writeFileSync(file, store);
    const db = openDatabase(file);
    db.exec(sql);
    db.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it.each([{}, { authority: {} }])("a snapshot in a file is continued by another emulator: %j", async (given) => {
  const clock = { at: "2026-03-01T10:00:00Z", ticking: false };
  const first = await openControlled({ card: VERIFIED, clock, ...given });
  const sold = await first.sell("order-1");
  await first.control("POST", "/do", { card: { patch: { pinTriesLeft: 3 } } });
  await first.control("PUT", "/snapshots/mine");
  const file = await getFile(first.controlUrl, "mine");

  const second = await openControlled({ card: { uid: "OTHERONE" } }, { dataDir: temporaryFolder() });
  expect(await putFile(second.controlUrl, "theirs", file)).toEqual({ status: 204, message: "" });
  expect((await second.control("GET", "/card")).json()).toMatchObject({ uid: "OTHERONE" });
  await second.control("POST", "/snapshots/theirs/restore");
  expect((await second.control("GET", "/card")).json()).toMatchObject({ pinTriesLeft: 3, counters: { total: 1 } });
  expect(await second.sell("order-1")).toEqual(sold);
  expect(await second.sell()).toMatchObject({ totalCounter: 2, sdcDateTime: "2026-03-01T11:00:00.000+01:00" });
});

it("a snapshot in a file is 404 when there is no snapshot of that name", async () => {
  const { controlUrl } = await openControlled();
  expect((await fetch(`${controlUrl}/control/snapshots/never/file`)).status).toBe(404);
});

it("a snapshot in a file changes neither who may call nor where data is kept on this machine", async () => {
  const { control, controlUrl, world } = await openControlled();
  await control("PUT", "/snapshots/mine");
  const settings = { allowedOrigins: ["https://evil.test"], consoleToken: true, journalHeader: "centred" };
  const file = altered(await getFile(controlUrl, "mine"), {
    head: (head) => ({ ...head, given: { ...(head.given as object), settings } }),
  });
  expect((await putFile(controlUrl, "theirs", file)).status).toBe(204);
  await control("POST", "/snapshots/theirs/restore");
  expect(world.given.settings).toEqual({ journalHeader: "centred" });
});

const cases: [string, RegExp, (file: Buffer) => Buffer][] = [
  ["something else", /cannot be unpacked/, () => Buffer.from("hello")],
  ["empty", /cannot be unpacked/, () => Buffer.alloc(0)],
  ["cut short", /cannot be unpacked/, (file) => file.subarray(0, file.length / 2)],
  ["of another version", /not a snapshot of this version/, () => gzipSync("tillseal snapshot 1\n{}\n")],
  ["without JSON", /not JSON/, () => gzipSync(`${FIRST_LINE}{"given":\n`)],
  ["without a store", /no store/, (file) => altered(file, { store: () => Buffer.alloc(0) })],
  [
    "too large when unpacked",
    /at most 128 MiB/,
    () => gzipSync(Buffer.alloc(EMULATOR_LIMITS.snapshotUnpacked.value + 1), { level: 1 }),
  ],
  [
    "with a path as environment",
    /environment/,
    (file) => altered(file, { head: (head) => ({ ...head, given: { environment: "../../secrets" } }) }),
  ],
  [
    "with packages that lead out of the folder",
    /packages/,
    (file) =>
      altered(file, {
        head: (head) => ({
          ...head,
          authority: { content: { register: null, packages: { "../../../etc": "x" }, verdicts: [] }, faults: {} },
        }),
      }),
  ],
  [
    "with cards that do not belong to it",
    /its cards/,
    (file) => altered(file, { head: (head) => ({ ...head, current: "other" }) }),
  ],
  [
    "with a trigger in its store",
    /not as tillseal makes it: trigger t/,
    (file) =>
      altered(file, {
        store: (store) => withSql(store, "CREATE TRIGGER t AFTER INSERT ON invoices BEGIN DELETE FROM invoices; END"),
      }),
  ],
  [
    "with an index whose expression fails when the store is checked",
    /not as tillseal makes it: index thief/,
    (file) => {
      const sql =
        "CREATE TABLE t (a INTEGER); CREATE INDEX thief ON t (a     ); INSERT INTO t VALUES (-9223372036854775808)";
      const withIndex = (store: Buffer) => withSql(store, sql).toString("latin1").replace("(a     )", "(abs(a))");
      return altered(file, { store: (store) => Buffer.from(withIndex(store), "latin1") });
    },
  ],
  [
    "with a store of another schema",
    /has schema 999/,
    (file) => altered(file, { store: (store) => withSql(store, "PRAGMA user_version = 999") }),
  ],
  [
    "with a damaged store",
    /cannot be used/,
    (file) =>
      altered(file, {
        store: (store) => Buffer.concat([store.subarray(0, 4096), Buffer.alloc(store.length - 4096, 7)]),
      }),
  ],
];

it.each(cases)("a file that is no snapshot of ours is refused, and nothing changes: %s", async (_, message, make) => {
  const dataDir = temporaryFolder();
  const { control, controlUrl, sell } = await openControlled({ card: VERIFIED }, { dataDir });
  const sold = await sell("order-1");
  await control("PUT", "/snapshots/mine");
  const before = readdirSync(dataDir, { recursive: true }).toSorted();
  const answer = await putFile(controlUrl, "theirs", make(await getFile(controlUrl, "mine")));
  expect(answer).toEqual({ status: 400, message: expect.stringMatching(message) });
  expect((await control("GET", "/snapshots")).json()).toEqual(["mine"]);
  expect(readdirSync(dataDir, { recursive: true }).toSorted()).toEqual(before);
  expect(await sell("order-1")).toEqual(sold);
});

it("a file that is not one of our snapshots is refused beyond 64 MiB", async () => {
  const { controlUrl } = await openControlled();
  const large = Buffer.alloc(EMULATOR_LIMITS.snapshotFile.value + 1);
  expect(await putFile(controlUrl, "large", large)).toEqual({
    status: 400,
    message: expect.stringMatching(/64 MiB/),
  });
});

it("a file that is not one of our snapshots cannot have a name that leads elsewhere", async () => {
  const { controlUrl } = await openControlled();
  expect((await putFile(controlUrl, "..%2F..%2Fetc", Buffer.from("x"))).status).toBe(400);
});
