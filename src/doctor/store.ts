/** Checks the store of the data folder. It can be read at any time, also while the service writes to it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { problemsOf } from "../bookkeeping/verify/entry.js";
import { cardKeys } from "../bookkeeping/verify/keys.js";
import { inEnglish } from "../console/in-english.js";
import { reportTexts } from "../console/report-texts.js";
import { reportsRecord } from "../console/reports-record.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { OlderStoreError, StoreReading } from "../ledger/store-reading.js";
import { type Finding, fail, ok, warn } from "./finding.js";

/** Number of newest entries that are checked; `tillseal verify` checks all of them. */
const CHECKED = 100;
/** Number of reports that are described in words. */
const DESCRIBED = 3;

export function checkStore(dataDir: string): Finding[] {
  if (!existsSync(join(dataDir, STORE_FILE))) return [ok("store", "there is none yet; the first start creates it")];
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

/** Checks the newest entries: a failing disk damages these first. */
function checkNewest(store: StoreReading): Finding {
  const { keys } = cardKeys(store);
  const newest = store.newest(CHECKED);
  const bad = newest.filter((entry) => problemsOf(entry, keys.get(entry.uid) ?? []).length > 0);
  const time = store.newestTime();
  const said = `${store.count()} entries, ${time === null ? "no receipt yet" : `the newest receipt is from ${time}`}`;
  if (bad.length === 0) return ok("store", `${said}; the newest ${newest.length} are undamaged`);
  const entries = bad.length === 1 ? "entry is" : "entries are";
  return warn("store", `${said}; ${bad.length} ${entries} damaged: run tillseal verify, and keep your backups`);
}

function checkReports(store: StoreReading): Finding {
  const { reports } = reportsRecord({ sales: [], reports: store.openReports() });
  if (reports.length === 0) return ok("reports", "none to confirm");
  const described = reports.slice(0, DESCRIBED).map((report) => {
    const { from, to } = report;
    return inEnglish(reportTexts(report).what, { from: from ?? "", to: to ?? "" });
  });
  const more = reports.length > DESCRIBED ? ` And ${reports.length - DESCRIBED} more.` : "";
  return warn("reports", `${described.join(" ")}${more} Run tillseal reports to see what to do`);
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
    `${names}: the card may have signed, unless it is signing now; run tillseal reports to see what to do`,
  );
}
