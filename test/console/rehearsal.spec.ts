/** The page Rehearsal: the list of an approval fills in while a POS works, and the guide sets up situations. */
import { htmlReport } from "../../harness/scenario/report.js";
import { Pos } from "../support/pos.js";
import { expect, open, test } from "./till.js";

test("each row says live what the POS has shown, opens its requests and receipts, and the guide sets up situations", async ({
  page,
  till,
}) => {
  const pos = new Pos(till.url, "a POS number with something appended");
  await open(page, till, "rehearsal");
  const row = (id: string) => page.locator(".rehearsal li").filter({ has: page.getByText(id, { exact: true }) });
  await expect(page.getByText("not from the authority")).toBeVisible();
  await expect(page.locator(".row > p[role=status]")).toContainText("0 passed, 0 failed");
  await expect(row("EYES-QR").locator(".badge")).toHaveText("needs a person");

  await pos.start();
  await pos.sell();
  await expect(row("OPS-002-STATE").locator(".badge")).toHaveText("passed");
  await expect(row("POS-NUMBER").locator(".badge")).toHaveText("failed");
  // What the developer has to change stands first.
  await expect(page.locator(".rehearsal .badge").first()).toHaveText("failed");
  await row("POS-NUMBER").locator("summary").click();
  await expect(row("POS-NUMBER")).toContainText("invoiceNumber 123/1.0-till 4");
  await expect(row("POS-NUMBER")).toContainText("append nothing");
  await expect(row("POS-NUMBER").locator("pre.paper")).toContainText("Milk /l");
  await row("OPS-005").locator("summary").click();
  await expect(row("OPS-005")).toContainText("Sell once with each payment type that is missing.");
  await expect(row("OPS-005")).toContainText("Voucher");

  await page.getByRole("button", { name: "Set up: The answer to the next sale gets lost" }).click();
  await expect(page.getByText("Sell once, and wait until the POS has the receipt.")).toBeVisible();
  await pos.sell({ payment: [{ amount: 240, paymentType: "Card" }] });
  await expect(row("FORB-001-LOST").locator(".badge")).toHaveText("passed");

  await row("POS-NUMBER").getByRole("link", { name: "POST /api/v3/invoices" }).first().click();
  await expect(page.locator(".entry")).toContainText("123/1.0-till 4");

  // What the service must accept is noted in Traffic, and what it refuses is told above the list.
  await pos.sell({ cashir: "Ana", payment: [] });
  await pos.sell({ invoiceType: "Receipt" });
  await expect(page.locator(".traffic")).toContainText("unknown field cashir; did you mean cashier?");

  await open(page, till, "rehearsal");
  await expect(page.getByText(/^Refused: request \d+: POST .* 400 28/)).toBeVisible();
  await page.getByRole("button", { name: "Start: The labels change at midnight" }).click();
  await page.getByRole("button", { name: /^Delete all receipts/ }).click();
  await expect(page.getByText("Sell before midnight and after it.")).toBeVisible();
  const clock = await (await fetch(`${till.control}/clock`)).json();
  expect(clock).toMatchObject({ at: expect.stringMatching(/^2026-06-30T23/) });
  await page.getByRole("combobox").selectOption("sr-Latn");
  await expect(page.getByRole("heading", { name: "Proba" })).toBeVisible();
  await expect(row("FORB-001-LOST")).toContainText("istim RequestId");
  await page.getByRole("button", { name: "Počni iznova" }).click();
  await expect(page.locator(".row > p[role=status]")).toContainText("Prošlo: 0, palo: 0");
});

test("the page of a report fits a phone", async ({ page }) => {
  const long = "0123456789".repeat(30);
  const row = { id: "pin/a-scenario-with-a-long-name", text: long, outcome: "failed", why: { wrong: long } } as const;
  const exchange = [{ id: 1, line: `POST /api/v3/invoices ${long}: 200`, text: long }];
  const receipt = { journal: `${"=".repeat(48)}\r\n`, verificationUrl: `https://t.test/v/?vl=${long}` };
  await page.setViewportSize({ width: 360, height: 740 });
  await page.setContent(
    htmlReport({ title: long, about: [long], rows: [{ ...row, exchange }], receipts: [["A", receipt]] }),
  );
  await page.locator("summary").click();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
});
