/** `tillseal report`: the same report with a running service and from the store of a stopped one. */
import { expect, it } from "vitest";
import type { DayReportRecord } from "../../src/bookkeeping/day-report-record.js";
import { serve, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { sale } from "../support/sale.js";
import { pin, sell } from "../support/sell.js";

it("tillseal report prints the same with a running service and from a stopped store, in each format", async () => {
  const where = ["--data-dir", temporaryFolder()];
  const reported = async (...args: string[]) => {
    const { status, stdout, stderr } = await tillseal(["report", ...args, ...where]);
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const service = await serve(where);
  await pin(service);
  await sell(service);
  const refund = { transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-1" };
  await sell(service, "", sale({ ...refund, cashier: "Ana" }));
  await sell(service, "", sale({ invoiceType: "Training" }));
  const days = ["--from", "2020-01-01"];
  const forms = [["--json"], ["--csv"], []];
  const running = [];
  for (const form of forms) running.push(await reported(...days, ...form));
  await service.stop();
  const stopped = [];
  for (const form of forms) stopped.push(await reported(...days, ...form));

  // The report in 40 columns has the time at which it was printed.
  const withoutTime = (texts: readonly string[]) => texts.map((text) => text.replace(/^Printed:.*$/m, ""));
  expect(withoutTime(stopped)).toEqual(withoutTime(running));
  const [json = "", csv = "", text = ""] = stopped;
  const report = JSON.parse(json) as DayReportRecord;
  expect(report.total).toMatchObject({ receipts: 2, difference: { amount: "0.00" } });
  expect(csv).toContain("\nkind,Normal Refund,,,1,");
  expect(text).toMatch(/^TRAINING SALE \(1\): +100\.00$/m);
  expect(report.cashiers.map(({ cashier }) => cashier)).toContain("Ana");
  expect(text).toMatch(/^Ana \(1\): +-100\.00$/m);
  expect(await reported("--language", "sr-Cyrl-RS")).toMatch(/^=+ ДНЕВНИ ИЗВЕШТАЈ =+\n/);
});
