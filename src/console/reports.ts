/** The console's requests about reports and sales in doubt (docs/tax-authority.md#reports). */
import type { Request, RequestHandler } from "express";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import type { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import type { WayOut } from "../fiscalizer/protocol/way-out.js";
import { plainJson, rawBody } from "../http/body.js";
import { HttpError } from "../http/errors.js";
import type { Entry } from "../ledger/ledger.js";
import type { ReceiptRow } from "../ledger/receipt-row.js";
import type { Receipts } from "../ledger/receipts.js";
import { inEnglish } from "./in-english.js";
import type { Permit } from "./permit.js";
import type { TrainingRecord } from "./records/reports.js";
import { WAY_TEXTS } from "./report-texts.js";
import { reportsRecord } from "./reports-record.js";

export interface ReportsParts {
  readonly fiscalizer: Fiscalizer;
  readonly receipts: Receipts;
  /** Signs one Training receipt, as a POS would. @throws FiscalError */
  readonly signSample: (request: Request) => Promise<void>;
}

/** @param permit decides who may confirm a report, because a confirmed report is not shown any more */
export function reportsHandlers(parts: ReportsParts, permit: Permit) {
  const { fiscalizer } = parts;
  const reports: RequestHandler = async (_request, response) => {
    response.json(reportsRecord(await fiscalizer.doubts()));
  };
  return {
    reports,
    confirmReports: [rawBody, confirm(fiscalizer, permit)],
    decideSale: [rawBody, decide(fiscalizer, permit)],
    settleByTraining: [rawBody, settleByTraining(parts)],
  };
}

function confirm(fiscalizer: Fiscalizer, permit: Permit): RequestHandler {
  return async (request, response) => {
    const { ids, pin } = bodyFields(request);
    if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => Number.isSafeInteger(id))) {
      throw FiscalError.of("2806", "ids", 'Expected ids of reports, such as {"ids": [1, 2]}');
    }
    if (!(await permit(request, response, pin))) return;
    if (!(await fiscalizer.confirm(new Set(ids as number[])))) {
      const open = (await fiscalizer.doubts()).reports.map(({ id }) => id);
      throw new HttpError(404, "ids", `Not all of these reports wait for confirmation. Those that do: ${listed(open)}`);
    }
    response.status(204).end();
  };
}

function decide(fiscalizer: Fiscalizer, permit: Permit): RequestHandler {
  return async (request, response) => {
    const { id, signed, pin } = bodyFields(request);
    if (typeof signed !== "boolean") {
      throw FiscalError.of("2806", "signed", 'Expected a decision, such as {"id": 7, "signed": true}');
    }
    if (!(await permit(request, response, pin))) return;
    await fiscalizer.recover(request);
    const { entry, wayOut } = await saleOf(fiscalizer, id);
    if (wayOut === "pin")
      throw FiscalError.of("1500", "id", `The card in the reader decides. ${adviceFor(entry, wayOut)}`);
    if (!(await fiscalizer.decide(entry, signed))) throw notInDoubt([]);
    response.status(204).end();
  };
}

/** Whether the card had signed a sale, as the state of its entry says; an entry that is gone was not signed. */
const SIGNED = {
  intent: null,
  complete: true,
  adopted: true,
  lost: true,
  unproven: true,
} as const satisfies Record<ReceiptRow["state"], boolean | null>;

/** Signs a Training receipt to settle a sale in doubt of a card that cannot repeat the last invoice that it signed. */
function settleByTraining({ fiscalizer, receipts, signSample }: ReportsParts): RequestHandler {
  return async (request, response) => {
    const { entry, wayOut } = await saleOf(fiscalizer, bodyFields(request).id);
    if (wayOut !== "training") {
      throw new HttpError(404, "id", `A Training receipt does not settle this sale. ${adviceFor(entry, wayOut)}`);
    }
    await signSample(request);
    const settled = receipts.byId(entry.id);
    const record: TrainingRecord = { signed: settled !== undefined && SIGNED[settled.state] };
    response.json(record);
  };
}

function adviceFor({ uid }: Pick<Entry, "uid">, wayOut: WayOut): string {
  return inEnglish(WAY_TEXTS[wayOut], { uid });
}

/** Returns the sale in doubt with this id. @throws HttpError 404 if the sale is not in doubt */
async function saleOf(fiscalizer: Fiscalizer, id: unknown) {
  const { sales } = await fiscalizer.doubts();
  const sale = sales.find(({ entry }) => entry.id === id);
  if (!sale) throw notInDoubt(sales.map(({ entry }) => entry.id));
  return sale;
}

function notInDoubt(others: readonly number[]): HttpError {
  return new HttpError(404, "id", `This sale is not in doubt. Sales in doubt: ${listed(others)}`);
}

function listed(ids: readonly number[]): string {
  return ids.length === 0 ? "none" : ids.join(", ");
}

/**
 * Returns the fields of a request's body.
 * @throws FiscalError if the body is not JSON, is too large or too deeply nested, or is not an object
 */
export function bodyFields(request: Request): Readonly<Record<string, unknown>> {
  const body = plainJson(request);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return { ...body };
  throw FiscalError.of("2806", "body", "Expected an object");
}
