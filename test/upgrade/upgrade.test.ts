/** A store of every schema works with this version, and one of another schema is not touched. See test/upgrade/README.md. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { FolderMemory, initialState } from "../../emulator/card/card-state.js";
import { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { parseProfile } from "../../emulator/card/profile.js";
import { SeededRandom } from "../../emulator/pki/random.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { checkStore } from "../../src/doctor/store.js";
import { openStore } from "../../src/ledger/database.js";
import { SCHEMA_VERSION } from "../../src/ledger/schema.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { tillseal } from "../support/command.js";
import { KEYS } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { reportsIn, verdictOn } from "../support/store-file.js";
import { openTill } from "../support/till.js";

const STORES = join(PACKAGE_ROOT, "test", "upgrade", "stores");
/** The schema of 1.0.0. */
const FIRST = 16;
const SCHEMAS = Array.from({ length: SCHEMA_VERSION - FIRST + 1 }, (_, index) => FIRST + index);

/** The sale that sell.mjs posted. */
const SALE = JSON.parse(readFileSync(join(PACKAGE_ROOT, "test", "upgrade", "sale.json"), "utf8")) as object;

function dataFolderOf(schema: number): string {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, "store"));
  writeFileSync(join(dataDir, "store/tillseal.db"), gunzipSync(readFileSync(join(STORES, `schema-${schema}.db.gz`))));
  mkdirSync(join(dataDir, "card"));
  copyFileSync(join(STORES, `schema-${schema}.card.json`), join(dataDir, "card", "TESTCARD.json"));
  return dataDir;
}

/** Answers of the old version by RequestId, read before this version touches the store. */
function answersIn(dataDir: string, schema: number): Map<string, Record<string, unknown>> {
  const db = openDatabase(join(dataDir, "store/tillseal.db"), { readonly: true });
  try {
    expect(db.pragma("user_version", { simple: true })).toBe(schema);
    const rows = db
      .prepare<[], [string, string]>(
        "SELECT request_id, answer FROM invoices WHERE request_id IS NOT NULL AND answer IS NOT NULL",
      )
      .raw()
      .all();
    return new Map(rows.map(([requestId, answer]) => [requestId, JSON.parse(answer) as Record<string, unknown>]));
  } finally {
    db.close();
  }
}

function tillOn(dataDir: string) {
  const profile = parseProfile({});
  const memory = new FolderMemory(join(dataDir, "card"), profile.uid, initialState(profile));
  const card = new EmulatedCard(profile, memory, KEYS, new SeededRandom("upgrade"));
  return openTill({ settings: { dataDir }, card, environment: "cyrillic" });
}

it("an upgrade covers every schema", () => {
  const files = SCHEMAS.flatMap((schema) => [`schema-${schema}.card.json`, `schema-${schema}.db.gz`]);
  expect(readdirSync(STORES).toSorted()).toEqual(files.toSorted());
});

it.each(SCHEMAS)(
  "an upgrade keeps every receipt of a store of schema %i, settles its sale in doubt, repeats answers and sells on",
  async (schema) => {
    const dataDir = dataFolderOf(schema);
    const answers = answersIn(dataDir, schema);
    expect([...answers.keys()]).toEqual(["sale-1", "refund-1", "copy-1", "training-1", "two-payments"]);

    const till = await tillOn(dataDir);
    for (const [requestId, answer] of answers) {
      const stored = (await till.call("GET", `/api/v3/invoices/${requestId}`)).json();
      expect(stored).toEqual({ ...answer, verificationQRCode: expect.stringMatching(/^data:image\/png;base64,/) });
    }
    const inDoubt = { invoiceNumber: "TESTCARD-TESTCARD-7" };
    expect((await till.call("GET", "/api/v3/invoices/in-doubt")).json()).toMatchObject(inDoubt);
    const repeated = await till.sell({ ...SALE, buyerId: "10:123456789" }, { RequestId: "sale-1" });
    expect([repeated.status, repeated.headers["idempotent-replayed"]]).toEqual([200, "true"]);
    expect(repeated.json()).toMatchObject({ invoiceNumber: "TESTCARD-TESTCARD-1" });
    expect((await till.sell(SALE, { RequestId: "in-doubt" })).json()).toMatchObject(inDoubt);
    const next = (await till.sell(SALE, { RequestId: "next" })).json();
    expect(next).toMatchObject({ invoiceNumber: "TESTCARD-TESTCARD-8", totalCounter: 8 });
    await till.stop();

    expect(verdictOn(dataDir)).toMatchObject({ entries: 8, findings: [] });
    expect(reportsIn(dataDir)).toEqual([]);
    expect(checkStore(dataDir).indexDamaged).toBe(false);
  },
);

const LATER = SCHEMA_VERSION + 1;

function storeOf(version: number): { dataDir: string; file: string; content: Buffer } {
  const dataDir = dataFolderOf(SCHEMA_VERSION);
  const file = join(dataDir, "store/tillseal.db");
  const db = openDatabase(file);
  db.pragma("journal_mode = DELETE");
  db.pragma(`user_version = ${version}`);
  db.close();
  return { dataDir, file, content: readFileSync(file) };
}

it.each([["serve", "--port", "0"], ["verify"], ["report"]])(
  "a store of a schema that this version does not know is refused by %s with an explanation, and not changed",
  async (...command) => {
    const { dataDir, file, content } = storeOf(LATER);
    const { status, stdout, stderr } = await tillseal([...command, "--data-dir", dataDir]);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      `tillseal: ${file} was written by a newer tillseal (schema ${LATER}; this version knows ${SCHEMA_VERSION}). ` +
        "Install that version again, or restore the backup that was made before its first start\n",
    );
    expect(readFileSync(file).equals(content)).toBe(true);
  },
);

it("a store of a schema that this version does not know is refused if it is older than 1.0.0", () => {
  const { dataDir, file, content } = storeOf(FIRST - 1);
  expect(() => openStore(dataDir)).toThrow(`${file} has the schema ${FIRST - 1} of a tillseal before 1.0.0`);
  expect(() => StoreReading.open(dataDir)).toThrow(`${file} has the schema ${FIRST - 1} of a tillseal before 1.0.0`);
  expect(readFileSync(file).equals(content)).toBe(true);
});
