/** Receipts are searched, filtered and exported. */
import { bytesOf, expect, open, savedBy, test } from "./till.js";

test("a slash focuses the search, and a button keeps the focus after its work", async ({ page, till }) => {
  await till.pin();
  await till.sell();
  await open(page, till, "receipts/1");
  await expect(page.locator(".paper")).toBeVisible();
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox").first();
  await expect(search).toBeFocused();
  await page.keyboard.type("a/b");
  await expect(search).toHaveValue("a/b");
  const button = page.getByRole("button", { name: "PDF 80mm" });
  await button.focus();
  const saved = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  await saved;
  await expect(button).toBeEnabled();
  await expect(button).toBeFocused();
});

test("a receipt opens at the address that `tillseal sample sale` prints, and an unknown number says so", async ({
  page,
  till,
}) => {
  await till.pin();
  await till.sell();
  await open(page, till, "receipts/TESTCARD-TESTCARD-1");
  await expect(page.locator(".paper")).toContainText("TESTCARD-TESTCARD-1");
  await expect(page.getByRole("link", { name: "TESTCARD-TESTCARD-1" })).toHaveAttribute("aria-current", "true");
  await open(page, till, "receipts/TESTCARD-TESTCARD-9");
  await expect(page.getByText("There is no such receipt in this store")).toBeVisible();
});

test("an incomplete or absurd year breaks nothing", async ({ page, till }) => {
  await till.pin();
  await till.sell();
  await open(page, till, "receipts");
  for (const [from, count] of [
    ["0020-01-01", 1],
    ["2020-01-01", 1],
    ["2999-01-01", 0],
  ] as const) {
    await page.getByLabel("From").fill(from);
    await expect(page.locator("tbody tr")).toHaveCount(count);
  }
});

test("receipts are found by number, counter, RequestId, amount, article and day", async ({ page, till }) => {
  await till.pin();
  for (const amount of [100, 250.5, 1000]) {
    const item = {
      name: amount === 250.5 ? "Sugar" : "Tea",
      quantity: 1,
      unitPrice: amount,
      labels: ["A"],
      totalAmount: amount,
    };
    await till.sell({ items: [item], payment: [{ amount, paymentType: "Card" }] }, { RequestId: `order-${amount}` });
  }
  await open(page, till, "receipts");
  const rows = page.locator("tbody tr");
  await expect(rows).toHaveCount(3);
  for (const [text, amount] of [
    ["TESTCARD-TESTCARD-2", "250.50"],
    ["3", "1,000.00"],
    ["order-1000", "1,000.00"],
    ["250,50", "250.50"],
    ["SUGAR", "250.50"],
  ] as const) {
    await page.getByLabel("Search").fill(text);
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText(amount);
  }
  // The minute of the sale, as a person remembers it.
  const time = (await rows.first().locator("td").first().innerText()).match(/\d\d:\d\d/)?.[0] ?? "";
  await page.getByLabel("Search").fill(time);
  await expect(rows.first()).toContainText(time);
  await page.getByLabel("Search").fill(time === "03:33" ? "03:34" : "03:33");
  await expect(page.getByText("Nothing found.")).toBeVisible();
  await page.getByLabel("Search").fill("nothing of the kind");
  await expect(page.getByText("Nothing found.")).toBeVisible();
  await page.getByLabel("Search").fill("");
  await page.getByLabel("To").fill("2020-01-01");
  await expect(page.getByText("Nothing found.")).toBeVisible();
  await page.getByLabel("To").fill("");
  await page.getByLabel("From").fill("2020-01-01");
  await expect(rows).toHaveCount(3);
});

test("a range is exported as CSV and as NDJSON", async ({ page, till, folder }) => {
  await till.pin();
  await till.sell({ cashier: "=1+1" }, { RequestId: "order-1" });
  await till.sell();
  await open(page, till, "receipts");
  const [head = "", first = ""] = (
    await bytesOf(await savedBy(page.getByRole("link", { name: "CSV of all", exact: true })), folder)
  )
    .toString("utf8")
    .split("\n");
  expect(head).toContain("number,requestId,day,localTime,time,totalAmount");
  expect(first).toContain("TESTCARD-TESTCARD-1,order-1,");
  // A spreadsheet must not take it for a formula.
  expect(first).toContain("'=1+1");
  const lines = (await bytesOf(await savedBy(page.getByRole("link", { name: "NDJSON of all" })), folder))
    .toString("utf8")
    .trim()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line).answer.totalCounter)).toEqual([1, 2]);
});

test("an empty shop differs from a search without results, and a search says how it was understood", async ({
  page,
  till,
}) => {
  await till.pin();
  await open(page, till, "receipts");
  await expect(page.getByText("There are no receipts.")).toBeVisible();
  await till.sell();
  await expect(page.locator("tbody tr")).toHaveCount(1);
  const search = page.getByLabel("Search");
  for (const [text, understood] of [
    ["03:33", "Searched for: 03:33 today"],
    ["250,50", "Searched for: amount 250.50 or amount 25,050.00 or number, RequestId or words 250,50"],
    ["7", "Searched for: amount 7.00 or counter 7 or number, RequestId or words 7"],
    ["order", "Searched for: number, RequestId or words order"],
  ] as const) {
    await search.fill(text);
    await expect(page.locator(".understood")).toHaveText(understood);
  }
  await expect(page.getByText("Nothing found.")).toBeVisible();
});

test("filters narrow the list, and a sale links to its refunds and copies", async ({ page, till }) => {
  await till.pin();
  await till.sell({ cashier: "Бора" });
  await till.sell({ payment: [{ amount: 100, paymentType: "Card" }] });
  await till.sell({ transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-1" });
  await till.sell({ invoiceType: "Copy", referentDocumentNumber: "TESTCARD-TESTCARD-1" });
  await open(page, till, "receipts");
  const rows = page.locator("tbody tr");
  await expect(rows).toHaveCount(4);
  const search = page.getByLabel("Search");
  await search.fill("bora");
  await expect(rows).toHaveCount(1);
  await page.getByText("Filter", { exact: true }).click();
  await page.getByLabel("Payment").selectOption("Card");
  await expect(page.getByText("Nothing found.")).toBeVisible();
  await search.fill("");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows).toHaveCount(4);
  await page.getByLabel("Kind").selectOption("Refund");
  await expect(rows).toHaveCount(1);
  await page.screenshot({ path: "out/console/receipts-filtered.png" });
  await open(page, till, "receipts/1");
  await expect(page.locator(".followers a")).toHaveText(["TESTCARD-TESTCARD-3", "TESTCARD-TESTCARD-4"]);
  await page.screenshot({ path: "out/console/receipts-followed.png" });
});
