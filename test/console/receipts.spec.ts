/** Receipts on the console's page: shown as text whatever they contain, and linked to their originals. */
import { bytesOf, expect, open, savedBy, test } from "./till.js";

const HOSTILE = [
  { name: "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>", gtin: "12345678" },
  { name: "קפה שחור 50% — قهوة" },
  { name: "☕️🥐 emoji 👩‍👩‍👧" },
  { name: "x".repeat(2048) },
].map((item) => ({ ...item, quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }));

test("a receipt is shown as it prints, with good verdicts", async ({ page, till }) => {
  await till.pin();
  const { journal } = await till.sell();
  await open(page, till, "receipts/1");
  const lines = String(journal).split("\r\n").slice(0, -1);
  await expect(page.locator(".paper bdi")).toHaveCount(lines.length);
  // Every column counts.
  expect(await page.locator(".paper bdi").evaluateAll((all) => all.map((line) => line.textContent))).toEqual(
    lines.map((line) => `${line}\n`),
  );
  await expect(page.getByText("The hash is correct.")).toBeVisible();
  await expect(page.getByText("The signature is the card's.")).toBeVisible();
  await page.getByText("Content of the QR code").click();
  await expect(page.locator(".facts")).toContainText("TESTCARD");
});

test("a receipt says when it was taxed by the rates of the day when it was signed because the original's time is unknown", async ({
  page,
  till,
}) => {
  await till.pin();
  await till.sell({ transactionType: "Refund", referentDocumentNumber: "OTHERUID-OTHERUID-7" });
  await open(page, till, "receipts/1");
  await expect(page.locator(".receipt .notice")).toContainText("taxed by the rates of the day when it was signed");
});

test("a hostile receipt is shown as plain text", async ({ page, till, folder }) => {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await till.pin();
  const payment = [{ amount: 400, paymentType: "Cash" }];
  const cashier = "<b>Ana</b>";
  await till.sell({ cashier, items: HOSTILE, payment }, { RequestId: "<i>order</i>" });
  await open(page, till, "receipts/1");
  await expect(page.locator(".paper")).toContainText("<img src=x onerror");
  await expect(page.locator(".paper")).toContainText("☕️🥐 emoji");
  await expect(page.locator(".paper img, .paper script, .paper b, .receipts i")).toHaveCount(0);
  await expect(page).toHaveTitle("Receipts · tillseal");
  await page.getByText("Other forms").click();
  for (const name of ["PNG 58mm", "PDF 80mm"]) {
    expect((await bytesOf(await savedBy(page.getByRole("button", { name })), folder)).length).toBeGreaterThan(1000);
  }
  await open(page, till, "traffic");
  await page.getByRole("link", { name: "POST /api/v3/invoices" }).click();
  await expect(page.locator(".entry")).toContainText("<img src=x onerror");
  await expect(page.locator(".entry img")).toHaveCount(0);
  // A right-to-left line does not affect its neighbours or the rest of the page.
  await open(page, till, "receipts/1");
  await expect(page.locator(".paper")).toBeVisible();
  const styles = "[...document.querySelectorAll('.paper bdi')].map((line) => getComputedStyle(line))";
  const lines = await page.evaluate<string[]>(`${styles}.map((style) => style.direction + " " + style.unicodeBidi)`);
  expect(new Set(lines)).toEqual(new Set(["ltr isolate"]));
  expect(complaints).toEqual([]);
});

test("a refund looks different, names its kind and links to its sale", async ({ page, till }) => {
  await till.pin();
  await till.sell({}, { RequestId: "a-very-long-request-id-0123456789".slice(0, 32) });
  await till.sell({ transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-1" });
  await open(page, till, "receipts");
  const rows = page.locator("tbody tr");
  await expect(rows.nth(0)).toContainText("Refund");
  await expect(rows.nth(0).locator("td.refund")).toHaveText("-100.00");
  await expect(rows.nth(1)).toContainText("Sale");
  // A RequestId takes one line, however long it is.
  const id = rows.nth(1).locator(".request-id");
  expect((await id.boundingBox())?.height).toBeLessThan(30);
  await page.locator(".language select").selectOption("Srpski");
  await expect(rows.nth(0)).toContainText("Promet refundacija");
  await page.locator(".language select").selectOption("English");
  await rows.nth(0).getByRole("link").click();
  // Verdict and files are visible without scrolling.
  await expect(page.getByText("The signature is the card's.")).toBeInViewport();
  await expect(page.getByRole("button", { name: "PDF 80mm" })).toBeInViewport();
  await page.locator(".receipt").getByRole("link", { name: "TESTCARD-TESTCARD-1" }).click();
  await expect(page.locator(".receipt h2")).toHaveText("TESTCARD-TESTCARD-1");
});
