/** The console's requests about reports and sales in doubt (docs/tax-authority.md#reports). */
import type { Request } from "express";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import type { Fiscalizer } from "../fiscalizer/fiscalizer.js";
import type { WayOut } from "../fiscalizer/protocol/way-out.js";
import type { EndpointCall } from "../http/endpoint-router.js";
import { HttpError } from "../http/errors.js";
import type { Entry } from "../ledger/ledger.js";
import type { Receipts } from "../ledger/receipts.js";
import { inEnglish } from "./in-english.js";
import type { TrainingRecord } from "./records/reports.js";
import { WAY_TEXTS } from "./report-texts.js";
import { reportsRecord } from "./reports-record.js";

/** Signs one Training receipt, as a POS would. @throws FiscalError */
export type SignSample = (request: Request) => Promise<void>;

export function reportsHandlers(fiscalizer: Fiscalizer, receipts: Receipts, signSample: SignSample) {
  return {
    reports: async () => reportsRecord(await fiscalizer.doubts()),
    confirmReports: async ({ body }: EndpointCall) => {
      const { ids } = body as { readonly ids: readonly number[] };
      if (await fiscalizer.confirm(new Set(ids))) return;
      const open = (await fiscalizer.doubts()).reports.map(({ id }) => id);
      throw new HttpError(404, "ids", `Not all of these reports wait for confirmation. Those that do: ${listed(open)}`);
    },
    decideSale: async ({ request, body }: EndpointCall) => {
      const { id, signed } = body as { readonly id: number; readonly signed: boolean };
      await fiscalizer.recover(request);
      const { entry, wayOut } = await saleOf(fiscalizer, id);
      if (wayOut === "pin")
        throw FiscalError.of("1500", "id", `The card in the reader decides. ${adviceFor(entry, wayOut)}`);
      if (!(await fiscalizer.decide(entry, signed))) throw notInDoubt([]);
    },
    /** Signs a Training receipt to settle a sale in doubt of a card that cannot repeat the last invoice that it signed. */
    settleByTraining: async ({ request, body }: EndpointCall): Promise<TrainingRecord> => {
      const { entry, wayOut } = await saleOf(fiscalizer, (body as { readonly id: number }).id);
      if (wayOut !== "training") {
        throw new HttpError(404, "id", `A Training receipt does not settle this sale. ${adviceFor(entry, wayOut)}`);
      }
      await signSample(request);
      return { sale: receipts.byId(entry.id)?.state ?? "gone" };
    },
  };
}

function adviceFor({ uid }: Pick<Entry, "uid">, wayOut: WayOut): string {
  return inEnglish(WAY_TEXTS[wayOut], { uid });
}

/** Returns the sale in doubt with this id. @throws HttpError 404 if the sale is not in doubt */
async function saleOf(fiscalizer: Fiscalizer, id: number) {
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
