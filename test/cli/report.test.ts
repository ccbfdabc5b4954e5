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
  const forms = [["--json"], ["--csv"], [], ["--csv", "--language", "sr-Latn-RS"]];
  const running = [];
  for (const form of forms) running.push(await reported(...days, ...form));
  // The page's links to the same files.
  const links = ["report", "report.csv", "report.txt?language=en-US", "report.csv?language=sr-Latn-RS"];
  const saved = [];
  for (const link of links) {
    const query = `${link.includes("?") ? "&" : "?"}from=2020-01-01`;
    saved.push(await (await fetch(`${service.url}/console/${link}${query}`)).text());
  }
  await service.stop();
  const stopped = [];
  for (const form of forms) stopped.push(await reported(...days, ...form));

  // The report in 40 columns has the time at which it was printed.
  const withoutTime = (texts: readonly string[]) => texts.map((text) => text.replace(/^Printed:.*$/m, ""));
  expect(withoutTime(stopped)).toEqual(withoutTime(running));
  // A terminal shows no control characters, and no spaces at the end of a line.
  const shown = ([json = "", ...files]: string[]) =>
    withoutTime([`${JSON.stringify(JSON.parse(json), null, 2)}\n`, ...files]).map((text) =>
      text.replaceAll("\u202e", "\\u202e").replaceAll(/ *\r\n/g, "\n"),
    );
  expect(withoutTime(running).map((file) => file.replace("\ufeff", ""))).toEqual(shown(saved));
  const [json = "", csv = "", text = ""] = stopped;
  const report = JSON.parse(json) as DayReportRecord;
  expect(report.total).toMatchObject({ receipts: 2, difference: { amount: "0.00" } });
  expect(csv).toContain("\nkind,Normal Refund,,,1,");
  expect(text).toMatch(/^TRAINING SALE \(1\): +100\.00$/m);
  expect(report.cashiers.map(({ cashier }) => cashier)).toContain("Ana");
  expect(text).toMatch(/^Ana \(1\): +-100\.00$/m);
  expect(await reported("--language", "sr-Cyrl-RS")).toMatch(/^=+ ДНЕВНИ ИЗВЕШТАЈ =+\n/);
});
