/** A picture of each page, for the documentation and for reviewing what CI has built. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endTill, expect, open, startTill, type Till, test } from "./till.js";

const ROOT = join(import.meta.dirname, "..", "..");
const OUT = join(ROOT, "out", "console");

/** A morning in a café. */
async function openForBusiness(till: Till): Promise<void> {
  await till.pin();
  const articles = [
    { name: "Espresso", unitPrice: 180, labels: ["A"] },
    { name: "Croissant", unitPrice: 240, labels: ["B"] },
    { name: "Orange juice 0.3 l", unitPrice: 320, labels: ["A"] },
  ];
  for (let i = 0; i < 7; i++) {
    const items = articles
      .slice(i % 2, 2 + (i % 3))
      .map((article) => ({ ...article, quantity: 1 + (i % 2), totalAmount: article.unitPrice * (1 + (i % 2)) }));
    const amount = items.reduce((sum, { totalAmount }) => sum + totalAmount, 0);
    await till.act("PATCH", "/clock", { advance: "7m" });
    await till.sell(
      { cashier: "Ana", items, payment: [{ amount, paymentType: "Card" }] },
      { RequestId: `table-${i + 1}` },
    );
  }
  await expect(till.sell({ items: [] })).rejects.toThrow("2807");
  await till.act("PATCH", "/card", { limit: "60000", sum: "48320" });
}

test.use({ flags: ["--scenario", join(import.meta.dirname, "pictures.yaml")], deviceScaleFactor: 1 });

test("till", async ({ page, till }) => {
  await openForBusiness(till);
  await open(page, till);
  await expect(page.getByText("table-7")).toBeVisible();
  await page.screenshot({ path: join(OUT, "till.png") });
});

test("receipts", async ({ page, till }) => {
  await openForBusiness(till);
  await open(page, till, "receipts/7");
  await expect(page.locator(".paper")).toBeVisible();
  await page.screenshot({ path: join(OUT, "receipts.png"), fullPage: true });
});

test("report", async ({ page, till }) => {
  await openForBusiness(till);
  const refund = { transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-2" };
  await till.sell({ ...refund, cashier: "Ana" });
  await open(page, till, "report");
  await expect(page.locator(".paper")).toBeVisible();
  await page.screenshot({ path: join(OUT, "report.png"), fullPage: true });
});

test("traffic", async ({ page, till }) => {
  await openForBusiness(till);
  await open(page, till, "traffic");
  await page.getByRole("link", { name: "POST /api/v3/invoices" }).nth(1).click();
  await expect(page.locator(".entry")).toBeVisible();
  await expect(page.locator(".apdus")).toContainText("sign");
  await page.setViewportSize({ width: 1200, height: 1400 });
  await page.screenshot({ path: join(OUT, "traffic.png") });
});

test("card", async ({ page, till }) => {
  await openForBusiness(till);
  await till.act("POST", "/faults", { on: "sign", kind: "removedAfter", nth: 1 });
  await till.act("POST", "/card/remove");
  await open(page, till, "card");
  await expect(page.locator(".verdict")).toHaveText("There is no card in the reader.");
  await expect(page.getByText("not yet struck")).toBeVisible();
  await page.screenshot({ path: join(OUT, "card.png") });
});

test("audit", async ({ page }) => {
  const till = await startTill(["--port", "0", "--scenario", join(import.meta.dirname, "pictures-audit.yaml")]);
  await openForBusiness(till);
  await open(page, till, "audit");
  await page.getByRole("button", { name: "Start audit", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start audit", exact: true }).click();
  await expect(page.locator(".stepNow")).toContainText("The tax authority sends the proof");
  await page.screenshot({ path: join(OUT, "audit.png"), fullPage: true });
  await endTill(till);
});

test("settings", async ({ page }) => {
  // The folder's name is the same on every machine.
  const folder = join("out", "console", "data");
  rmSync(join(ROOT, folder), { recursive: true, force: true });
  mkdirSync(join(ROOT, folder), { recursive: true });
  writeFileSync(join(ROOT, folder, "tillseal.yaml"), "port: 48431\nlanguages: [sr-Latn-RS, en-US]\n");
  const till = await startTill(["--data-dir", folder]);
  await open(page, till, "settings");
  await expect(page.getByLabel("Serbian (Latin)", { exact: true })).toBeChecked();
  await page.screenshot({ path: join(OUT, "settings.png") });
  await endTill(till);
});

test.describe("dark, on a phone", () => {
  test.use({ colorScheme: "dark", viewport: { width: 390, height: 780 }, locale: "sr-Cyrl-RS" });
  test("phone", async ({ page, till }) => {
    await open(page, till);
    await page.screenshot({ path: join(OUT, "phone.png") });
  });
});

test("verification", async ({ page, till }) => {
  await till.pin();
  const { verificationUrl } = await till.sell();
  await page.goto(String(verificationUrl));
  await expect(page.locator(".verdict")).toBeVisible();
  await page.screenshot({ path: join(OUT, "verification.png") });
});
