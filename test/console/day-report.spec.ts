/** The day report: one click from the first page, with no, one and many receipts; on paper and as files. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BalanceRecord, DayReportRecord } from "../../src/bookkeeping/day-report-record.js";
import { bytesOf, expect, needs, open, savedBy, seriousInAllColours, seriousOn, type Till, test } from "./till.js";

const OUT = join(import.meta.dirname, "..", "..", "out", "console");

const paid = (amount: number, paymentType: string, rest: object = {}) => ({
  items: [{ name: "Tea", quantity: 1, unitPrice: amount, labels: ["A"], totalAmount: amount }],
  payment: [{ amount, paymentType }],
  ...rest,
});

const REFUND = { transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-1" };

async function sellMany(till: Till): Promise<void> {
  for (let i = 0; i < 12; i++) {
    await till.sell(paid(100 + i, i % 3 === 0 ? "Card" : "Cash", { cashier: i % 2 === 0 ? "Ana" : "Бора" }));
  }
  await till.sell(paid(100, "Cash", REFUND));
  await till.sell(paid(5000, "Cash", { invoiceType: "Training" }));
}

test("the day report says when nothing was sold, and shows the first receipt without a reload", async ({
  page,
  till,
}) => {
  await till.pin();
  await open(page, till, "report");
  await expect(page.getByText("The totals of these days have no receipts.")).toBeVisible();
  await expect(page.locator(".paper")).toContainText("No receipts in the totals.");
  expect(await seriousOn(page)).toEqual([]);
  await till.sell(paid(250.5, "Card"));
  const takings = page.locator(".list .panel", { hasText: "Takings by payment type" });
  await expect(takings.locator("tbody tr")).toHaveText(/^Card.*250\.50$/);
  await expect(page.getByText("The totals of these days have no receipts.")).toHaveCount(0);
});

test("a report of days that stays open says until when it has the sales", async ({ page, till }) => {
  await till.act("POST", "/do", { clock: { at: "2030-05-05T10:00:00Z", ticking: false } });
  await till.pin();
  await till.sell(paid(100, "Cash"));
  await open(page, till, "report");
  await page.getByRole("button", { name: "This month" }).click();
  const summary = page.locator(".list .panel").first();
  await expect(summary).toContainText(/100\.00.*As of .*12:00/);
  await till.act("POST", "/do", { clock: { at: "2030-05-05T16:00:00Z", ticking: false } });
  await till.sell(paid(50, "Cash"));
  await page.getByRole("button", { name: "Today", exact: true }).click();
  await expect(summary).toContainText(/150\.00.*As of .*18:00/);
});

test("today is the day of the till's clock, not of the browser's", async ({ page, till }) => {
  await till.act("POST", "/do", { clock: { at: "2030-05-05T10:00:00Z", ticking: false } });
  await till.pin();
  await till.sell(paid(250.5, "Card"));
  await open(page, till, "report");
  const takings = page.locator(".list .panel", { hasText: "Takings by payment type" });
  await expect(takings.locator("tbody tr")).toHaveText(/^Card.*250\.50$/);
  await expect(page.getByLabel("From")).toHaveValue("2030-05-05");
});

test("today's takings by payment type are one click from the first page", async ({ page, till }) => {
  await till.pin();
  await sellMany(till);
  await open(page, till);
  await page.getByRole("link", { name: "Today's takings" }).click();
  const takings = page.locator(".list .panel", { hasText: "Takings by payment type" });
  await expect(takings.locator("tbody tr")).toHaveText([/^Cash848\.00-100\.00748\.00$/, /^Card418\.000\.00418\.00$/]);
  await expect(takings.locator("tfoot")).toHaveText(/1,266\.00-100\.001,166\.00$/);
  await expect(page.locator(".list .panel", { hasText: "Not in the totals" })).toContainText("Training (1)5,000.00");
});

test("the day report is readable, and nothing is cut off, in each language, on a phone and on a desk", async ({
  page,
  till,
}) => {
  await till.pin();
  await sellMany(till);
  await open(page, till, "report");
  for (const [language, viewport, words] of [
    ["English", { width: 1200, height: 900 }, "Recapitulation"],
    ["Српски", { width: 390, height: 844 }, "Рекапитулација"],
    ["Srpski", { width: 1200, height: 900 }, "Rekapitulacija"],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.locator(".language select").selectOption(language);
    await expect(page.getByRole("heading", { name: words })).toBeVisible();
    await expect(page.locator(".paper")).toContainText(words.toUpperCase());
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    if (language !== "Srpski") expect(await seriousInAllColours(page)).toEqual([]);
    await page.screenshot({ path: join(OUT, `report-${language}.png`), fullPage: true });
  }
});

test("the day report is printed without the rest of the page, and saved as PDF and CSV", async ({
  page,
  till,
  folder,
}) => {
  needs("poppler-utils");
  await till.pin();
  await sellMany(till);
  await open(page, till, "report");
  const save = async (name: string) => bytesOf(await savedBy(page.getByRole("button", { name })), folder);
  const pdf = join(folder, "report.pdf");
  writeFileSync(pdf, await save("PDF 80mm"));
  const text = execFileSync("pdftotext", ["-layout", pdf, "-"], { encoding: "utf8" });
  expect(text).toMatch(/Difference: +1,166\.00/);
  const csv = async (name: string) =>
    (await bytesOf(await savedBy(page.getByRole("link", { name })), folder)).toString("utf8");
  expect(await csv("CSV for Excel")).toContain("\nPAYMENTS,Card,,,,418.00,,0.00,,418.00,\n");
  await page.locator(".language select").selectOption("Srpski");
  expect(await csv("CSV za Excel")).toContain("\nNAČINI PLAĆANJA;Platna kartica;;;;418,00;;0,00;;418,00;\n");
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".paper")).toBeVisible();
  for (const hidden of ["header", "h1", ".downloads", "table"]) await expect(page.locator(hidden).first()).toBeHidden();
});

test("takings by hour, by day and by label are pictures with their numbers, in every language", async ({
  page,
  till,
}) => {
  await till.act("POST", "/do", { clock: { at: "2026-11-20T09:00:00Z", ticking: false } });
  await till.pin();
  await sellMany(till);
  await till.act("POST", "/do", { clock: { at: "2026-11-21T16:00:00Z", ticking: false } });
  await till.sell(
    paid(300, "Card", { items: [{ name: "Tea", quantity: 1, unitPrice: 300, labels: ["B"], totalAmount: 300 }] }),
  );
  await open(page, till);
  await expect(page.locator(".bars li")).toHaveText(["300.0017"]);
  await page.getByRole("link", { name: "Day report" }).first().click();
  await page.getByRole("button", { name: "This month" }).click();
  await expect(page.locator(".bars").first().locator("li")).toHaveText([
    /^1,166\.0010$/,
    ...Array(6).fill(/^0\.00/),
    /^300\.0017$/,
  ]);
  await expect(page.locator(".month caption")).toHaveText("November 2026");
  await expect(page.locator(".month td", { hasText: "1,166" })).toHaveText("201,166");
  await expect(page.locator(".legend li")).toHaveText([/A 20%79\.5%1,166\.00/, /B 10%20\.5%300\.00/]);
  expect(await seriousOn(page)).toEqual([]);
  await page.locator(".language select").selectOption("Српски");
  await expect(page.locator(".month caption")).toHaveText("новембар 2026.");
});

test.describe("with numbers as in English on Serbian receipts", () => {
  test.use({ flags: ["--number-form", "point"] });
  test("page, paper and CSV of the day report have the same numbers", async ({ page, till }) => {
    await till.pin();
    await till.sell(paid(1234.5, "Card"));
    await open(page, till, "report");
    await page.locator(".language select").selectOption("Srpski");
    await expect(page.locator(".paper")).toContainText("1,234.50");
    await expect(page.locator(".sum-of-days")).toHaveText("1,234.50");
    await expect(page.getByRole("link", { name: "Stavke kao CSV" })).toHaveAttribute("href", /decimal=point/);
  });
});

test("a workbook has receipts, items, days and labels, with numbers and local dates", async ({
  page,
  till,
  folder,
}) => {
  needs("unzip");
  await till.act("POST", "/do", { clock: { at: "2026-11-20T23:30:00Z", ticking: false } });
  await till.pin();
  await sellMany(till);
  await open(page, till, "report");
  await expect(page.locator(".sum-of-days")).toBeVisible();
  await expect(page.locator(".list .panel", { hasText: "Takings by hour" })).toHaveCount(1);
  const saved = await savedBy(page.getByRole("button", { name: "Excel workbook" }));
  expect(saved.suggestedFilename()).toBe("report-2026-11-21.xlsx");
  const file = join(folder, "report.xlsx");
  await saved.saveAs(file);
  const part = (name: string) => execFileSync("unzip", ["-p", file, `xl/${name}`], { encoding: "utf8" });
  expect([...part("workbook.xml").matchAll(/<sheet [^>]*name="([^"]+)"/g)].map(([, name]) => name)).toEqual([
    "Receipts",
    "Items",
    "By day",
    "Labels",
  ]);
  // The serial number of 21 November 2026, 00:30: the shop's clock, not UTC.
  const [receipts, items] = [part("worksheets/sheet1.xml"), part("worksheets/sheet2.xml")];
  expect(receipts).toMatch(/<c r="B2" s="\d+"><v>46347\.0208/);
  expect(receipts).toMatch(/<c r="F2" s="\d+"><v>100<\/v>/);
  expect(items.match(/<row /g)).toHaveLength(1 + 14);
  const days = part("worksheets/sheet3.xml");
  expect(days).toMatch(/<v>46347<\/v>/);
  // The workbook has the numbers of the JSON, cell by cell, with positive refunds.
  const report = (await (await fetch(`${till.url}/console/report?from=2026-11-21`)).json()) as DayReportRecord;
  const numbers = (sheet: string, from: string) =>
    [...sheet.matchAll(/<c r="([A-Z])\d+" s="\d+"><v>([^<]+)<\/v>/g)].flatMap(([, column = "", value]) =>
      column >= from && column !== "" ? [Number(value)] : [],
    );
  const balance = ({ receipts, sales, refunds, difference }: BalanceRecord) =>
    [receipts, sales.amount, refunds.amount, difference.amount, difference.tax].map(Number);
  expect(report.total.refunds.amount).toBe("100.00");
  expect(numbers(days, "B")).toEqual([...report.days, report.total].flatMap(balance));
  expect(numbers(part("worksheets/sheet4.xml"), "D")).toEqual(report.labels.flatMap(balance));
});

test("the day report shows other days by name or by date, and rejects dates in the wrong order", async ({
  page,
  till,
}) => {
  await till.pin();
  await till.sell(paid(100, "Cash"));
  await open(page, till, "report");
  const receipts = page.getByText("Number of receipts");
  await expect(receipts).toBeVisible();
  await page.getByRole("button", { name: "Yesterday" }).click();
  await expect(page.getByText("The totals of these days have no receipts.")).toBeVisible();
  await page.getByRole("button", { name: "This month" }).click();
  await expect(receipts).toBeVisible();
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("/console/report") && asked.push(request.url()));
  await page.getByLabel("To").fill("2020-01-01");
  await page.getByLabel("From").fill("2020-01-01");
  await expect(page.getByText("The totals of these days have no receipts.")).toBeVisible();
  await expect(page.locator(".day span")).toHaveText(["1 Jan 2020", "1 Jan 2020"]);
  expect(asked).toHaveLength(1);
});
