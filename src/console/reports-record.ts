/** Converts reports and sales in doubt to the record that the console and the commands show. */

import { toDecimalText } from "../fiscal/money.js";
import { toIso } from "../fiscal/time.js";
import type { Doubts, SaleInDoubt } from "../fiscalizer/doubts.js";
import type { Entry, Report } from "../ledger/ledger.js";
import { contentOf } from "../ledger/receipt-content.js";
import type { DoubtRecord, ReportRecord, ReportsRecord } from "./records/reports.js";

export function reportsRecord({ sales, reports }: Pick<Doubts, "sales" | "reports">): ReportsRecord {
  return { inDoubt: sales.map(doubtRecord), reports: reports.flatMap(reportRecord) };
}

function reportRecord({ id, kind, uid, from, to, at, requestId, adopted }: Report): ReportRecord[] {
  if (kind === "decided") return [];
  return [{ id, kind, uid, from, to, requestId, at: toIso(at), adopted: adopted === 1 }];
}

/** Matches names that need no quotes in a shell. */
const PLAIN = /^\w[\w.:-]*$/;

function doubtRecord({ entry, wayOut }: SaleInDoubt): DoubtRecord {
  const { id, requestId, uid } = entry;
  const name = requestId !== null && PLAIN.test(requestId) ? requestId : `sale-${id}`;
  return { id, name, requestId, uid, ...asked(entry), wayOut };
}

function asked({ intent, intact }: Entry): Pick<DoubtRecord, "since" | "totalAmount"> {
  const content = intact ? contentOf({ intent, answer: null }) : undefined;
  return content
    ? { since: toIso(content.time), totalAmount: toDecimalText(content.total) }
    : { since: null, totalAmount: null };
}
