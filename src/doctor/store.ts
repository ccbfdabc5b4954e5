/** The store of the data folder, as it can be read at any time: also while the service writes to it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { inEnglish } from "../console/fill.js";
import { reportTexts } from "../console/report-texts.js";
import { reportsRecord } from "../console/reports-record.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { OlderStoreError, StoreReading } from "../ledger/store-reading.js";
import { problemsOf } from "../verify/entry.js";
import { cardKeys } from "../verify/keys.js";
import { type Finding, fail, ok, warn } from "./finding.js";

/** Entries that are checked; `tillseal verify` checks all of them. */
const CHECKED = 100;
/** So many reports are described in words. */
const DESCRIBED = 3;

export function checkStore(dataDir: string): Finding[] {
  if (!existsSync(join(dataDir, STORE_FILE))) return [ok("store", "there is none yet; the first start makes it")];
  let store: StoreReading | undefined;
  try {
    store = StoreReading.open(dataDir);
    return [checkNewest(store), checkReports(store), checkDoubts(store)];
  } catch (error) {
    if (error instanceof OlderStoreError) return [warn("store", error.message)];
    if (error instanceof StoreError) return [fail("store", error.message)];
    throw error;
  } finally {
    store?.close();
  }
}

/** What is rotten is found first where it was written last: a disk that fails now. */
function checkNewest(store: StoreReading): Finding {
  const { keys } = cardKeys(store);
  const newest = store.newest(CHECKED);
  const bad = newest.filter((entry) => problemsOf(entry, keys.get(entry.uid) ?? []).length > 0);
  const time = store.newestTime();
  const said = `${store.count()} entries, ${time === null ? "no receipt yet" : `the newest receipt is of ${time}`}`;
  if (bad.length === 0) return ok("store", `${said}; the newest ${newest.length} are what was written`);
  const entries = bad.length === 1 ? "entry is" : "entries are";
  return warn(
    "store",
    `${said}; ${bad.length} ${entries} not what was written: run tillseal verify, keep your backups`,
  );
}

function checkReports(store: StoreReading): Finding {
  const { reports } = reportsRecord({ sales: [], reports: store.openReports() });
  if (reports.length === 0) return ok("reports", "nothing is to be confirmed");
  const described = reports.slice(0, DESCRIBED).map((report) => {
    const { from, to } = report;
    return inEnglish(reportTexts(report).what, { from: from ?? "", to: to ?? "" });
  });
  const more = reports.length > DESCRIBED ? ` And ${reports.length - DESCRIBED} more.` : "";
  return warn("reports", `${described.join(" ")}${more} tillseal reports says what to do`);
}

function checkDoubts(store: StoreReading): Finding {
  const { inDoubt } = reportsRecord({
    sales: store.openIntents().map((entry) => ({ entry, wayOut: "card" })),
    reports: [],
  });
  if (inDoubt.length === 0) return ok("sales in doubt", "none");
  const names = inDoubt.map(({ name, uid }) => `${name} (card ${uid})`).join(", ");
  return warn(
    "sales in doubt",
    `${names}: the card may have signed, unless it is signing now; tillseal reports says what to do`,
  );
}
