/** The first day of a till, at its console: from an empty folder to the closed day and the next morning, without a false warning. */
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { endTill, expect, open, type Till, test } from "./till.js";

test.use({ ignoreHTTPSErrors: true });

/** What the pages Till and Doctor warn of. */
async function warningsOf(page: Page, till: Till): Promise<readonly string[]> {
  await open(page, till, "doctor");
  await expect(page.locator(".doctor li").first()).toBeVisible();
  const checks = page.locator(".doctor li").filter({ hasNot: page.locator(".tag", { hasText: /^ok$/ }) });
  const named = await checks.getByRole("heading").allInnerTexts();
  await open(page, till);
  const sentences = page.locator(".verdict, .sentence > p:nth-child(n + 3), .notice, .reports > *");
  return [...(await sentences.allInnerTexts()), ...named];
}

/** The receipts of this till are on one disk only, which is true. */
const MORNING = ["The card waits for its PIN.", "PIN", "Backups"];
const READY = ["Ready to sell.", "Backups"];

test("from an empty folder to the closed day, only what is true is a warning", async ({ page, folder, start }) => {
  const flags = ["--data-dir", join(folder, "data")];
  const till = await start(flags);
  expect(await warningsOf(page, till)).toEqual(MORNING);
  await page.locator(".till-state").getByLabel("PIN").fill("1234");
  await page.locator(".till-state").getByRole("button", { name: "Enter PIN" }).click();
  await expect(page.locator(".verdict")).toHaveText("Ready to sell.");
  for (let i = 0; i < 3; i++) await till.sell();
  await till.sell({ transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-1" });
  expect(await warningsOf(page, till)).toEqual(READY);

  await open(page, till, "audit");
  await page.getByRole("button", { name: "Start audit" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start audit" }).click();
  await expect(page.getByText("Sales without a proof of audit")).toBeVisible();
  await expect(page.locator("main")).toContainText("No audit is open.");
  await open(page, till, "report");
  await expect(page.locator(".sum-of-days")).toHaveText("200.00");
  await expect(page.locator(".paper")).toContainText(/Difference: +200\.00/);
  expect(await warningsOf(page, till)).toEqual(READY);

  await till.act("POST", "/do", { clock: { advance: "1d" } });
  expect(await warningsOf(page, till)).toEqual(READY);
  await open(page, till, "report");
  await page.getByRole("button", { name: "Yesterday" }).click();
  await expect(page.locator(".sum-of-days")).toHaveText("200.00");
  await endTill(till);
  const next = await start(flags);
  expect(await warningsOf(page, next)).toEqual(MORNING);
});
