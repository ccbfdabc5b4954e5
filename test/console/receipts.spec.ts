/** Receipts: shown as text whatever they contain, scanned, printed and exported. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Download } from "@playwright/test";
import { printed } from "../support/receipt-printer.js";
import { scan } from "../support/scanner.js";
import { endTill, expect, open, startTill, test } from "./till.js";

/** Widths of receipt printers. */
const DPI = 203;

const HOSTILE = [
  { name: "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>", gtin: "12345678" },
  { name: "קפה שחור 50% — قهوة" },
  { name: "☕️🥐 emoji 👩‍👩‍👧" },
  { name: "\u202egnp.exe" },
  { name: "x".repeat(2048) },
].map((item) => ({ ...item, quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }));

async function bytesOf(download: Download, folder: string): Promise<Buffer> {
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return readFileSync(file);
}

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
  await page.getByText("What the QR code says").click();
  await expect(page.locator(".facts")).toContainText("TESTCARD");
});

test("what is wider than the paper continues in the next line, on the page and in the pictures", async ({
  page,
  folder,
}) => {
  const profile = join(folder, "card.yaml");
  const businessName = "DRUŠTVO ZA PROIZVODNJU, PROMET I USLUGE PEKARA DOO BEOGRAD-NOVI BEOGRAD OGRANAK";
  writeFileSync(profile, JSON.stringify({ taxpayer: { businessName } }));
  const till = await startTill(["--profile", profile]);
  try {
    await till.pin();
    const amount = 999_999_999_999.99;
    const item = { name: "Ship", quantity: 1, unitPrice: amount, labels: ["A"], totalAmount: amount };
    const { verificationUrl } = await till.sell({ items: [item], payment: [{ amount, paymentType: "Cash" }] });
    await open(page, till, "receipts/1");
    // The receipt loads after its page.
    await expect(page.locator(".paper bdi").first()).toBeVisible();
    const lines = await page.locator(".paper bdi").allTextContents();
    expect(lines.filter((line) => line.length > 41)).toEqual([]);
    expect(lines.slice(2, 5).map((line) => line.trim())).toEqual([
      "DRUŠTVO ZA PROIZVODNJU, PROMET I USLUGE",
      "PEKARA DOO BEOGRAD-NOVI BEOGRAD OGRANAK",
      "Test Shop 1",
    ]);
    expect(lines).toContain(`${"999.999.999.999,99".padStart(40)}\n`);
    const png = page.waitForEvent("download");
    await page.getByRole("button", { name: "PNG 58mm" }).click();
    expect(await scan(new Uint8Array(await bytesOf(await png, folder)))).toEqual([verificationUrl]);
  } finally {
    await endTill(till);
  }
});

test("a receipt says when it was taxed with today's rates because the original's time is unknown", async ({
  page,
  till,
}) => {
  await till.pin();
  await till.sell({ transactionType: "Refund", referentDocumentNumber: "OTHERUID-OTHERUID-7" });
  await open(page, till, "receipts/1");
  await expect(page.locator(".receipt .notice")).toContainText("taxed by today's rates");
});

test("the QR code on the page, in PNG and in PDF leads to the verification page, which confirms the receipt", async ({
  page,
  till,
  folder,
}) => {
  await till.pin();
  const { verificationUrl } = await till.sell({ buyerId: "10:123456789" });
  await open(page, till, "receipts/1");
  expect(await scan(new Uint8Array(await page.locator(".paper").screenshot({ scale: "css" })))).toEqual([
    verificationUrl,
  ]);
  for (const width of ["58mm", "80mm"]) {
    const png = page.waitForEvent("download");
    await page.getByRole("button", { name: `PNG ${width}` }).click();
    expect(await scan(new Uint8Array(await bytesOf(await png, folder)))).toEqual([verificationUrl]);
    const pdf = page.waitForEvent("download");
    await page.getByRole("button", { name: `PDF ${width}` }).click();
    const file = join(folder, "receipt.pdf");
    writeFileSync(file, await bytesOf(await pdf, folder));
    // At a printer's resolution, by an independent PDF reader.
    execFileSync("pdftoppm", ["-r", String(DPI), "-png", "-singlefile", file, join(folder, "receipt")]);
    expect(await scan(new Uint8Array(readFileSync(join(folder, "receipt.png"))))).toEqual([verificationUrl]);
    const points = (Number.parseInt(width, 10) * 72) / 25.4;
    const said = /Page size: +([\d.]+)/.exec(execFileSync("pdfinfo", [file], { encoding: "utf8" }));
    expect(Number(said?.[1])).toBeCloseTo(points, 1);
  }
  await page.goto(String(verificationUrl));
  await expect(page.locator(".verdict")).toContainText("valid");
  await expect(page.locator(".verdict")).not.toContainText(/invalid|not valid/i);
});

test("the text of a PDF can be searched and copied, in any script", async ({ page, till, folder }) => {
  await till.pin();
  const names = ["Бурек са сиром и Љутеница Ђорђевић", "Šećer, čaj i đumbir Őrült", "☕️🥐 emoji", "קפה שחור"];
  const items = names.map((name) => ({ name, quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }));
  await till.sell({ items, cashier: "Љубица Џакић" });
  await open(page, till, "receipts/1");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "PDF 80mm" }).click();
  const file = join(folder, "receipt.pdf");
  writeFileSync(file, await bytesOf(await saved, folder));
  const text = execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" });
  const printed = await page.locator(".paper bdi").allTextContents();
  const spaced = (said: string) => said.replaceAll(/ +/g, " ");
  for (const line of printed.filter((one) => !/[\u0590-\u05ff]/.test(one)))
    expect(spaced(text)).toContain(spaced(line).trim());
  // PDF readers output Hebrew in their own order.
  expect(text).toMatch(/[\u0590-\u05ff]{3}/);
  const fonts = execFileSync("pdffonts", [file], { encoding: "utf8" }).split("\n").slice(2, -1);
  // Embedded, with a map back to Unicode.
  expect(fonts).toEqual([expect.stringMatching(/DejaVuSansMono.*\byes +(yes|no) +yes\b/)]);
});

for (const [paper, width, height] of [
  ["58mm", "58mm", "297mm"],
  ["80mm", "80mm", "297mm"],
  ["A4", "210mm", "297mm"],
] as const) {
  test(`the browser prints only the receipt, with its QR code on the same page: ${paper}`, async ({
    page,
    till,
    folder,
  }) => {
    await till.pin();
    const { verificationUrl, invoiceNumber } = await till.sell({ buyerId: "10:123456789" });
    await page.emulateMedia({ colorScheme: "dark" });
    await open(page, till, "receipts/1");
    await expect(page.getByText("The hash is correct.")).toBeVisible();
    await page.emulateMedia({ media: "print" });
    // No frame is printed, and 72 mm is the printable width of an 80 mm receipt printer.
    const style = await page.evaluate<string[]>(
      "[getComputedStyle(document.querySelector('.paper'))].flatMap((s) => [s.borderWidth, s.padding, s.boxShadow])",
    );
    expect(style).toEqual(["0px", "0px", "none"]);
    expect((await page.locator(".paper").boundingBox())?.width).toBeLessThanOrEqual((72 * 96) / 25.4 + 1);
    await page.emulateMedia({ media: null });
    await page.evaluate("window.print = () => { document.title = 'printed'; }");
    await page.getByRole("button", { name: "Print", exact: true }).click();
    await expect(page).toHaveTitle("printed");
    const file = join(folder, "print.pdf");
    writeFileSync(file, await page.pdf({ width, height, printBackground: true, preferCSSPageSize: false }));
    expect(execFileSync("pdfinfo", [file], { encoding: "utf8" })).toMatch(/^Pages: +1$/m);
    const text = execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" }).trim();
    expect(text).toMatch(/^=+ FISCAL INVOICE =+\n/);
    expect(text).toMatch(/=+ END OF FISCAL INVOICE =+$/);
    expect(text).toContain(String(invoiceNumber));
    execFileSync("pdftoppm", ["-r", String(2 * DPI), "-png", "-singlefile", file, join(folder, "print")]);
    expect(await scan(new Uint8Array(readFileSync(join(folder, "print.png"))))).toEqual([verificationUrl]);
  });
}

test("the files for a receipt printer print what the page shows, and their QR codes scan", async ({
  page,
  till,
  folder,
}) => {
  await till.pin();
  const item = { name: "☕ Бурек", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 };
  const { verificationUrl } = await till.sell({ items: [item] });
  await open(page, till, "receipts/1");
  await page.getByText("For a receipt printer (ESC/POS)").click();
  for (const [width, dots] of [
    ["58mm", 384],
    ["80mm", 576],
  ] as const) {
    for (const name of ["the printer draws the QR code", "QR code as a picture", "everything as dots"]) {
      const saved = page.waitForEvent("download");
      await page.getByText(`${width}, ${name}`).click();
      const { lines, picture } = printed(new Uint8Array(await bytesOf(await saved, folder)), dots);
      expect(await scan(picture)).toEqual([verificationUrl]);
      const text = lines.join("\n");
      if (name === "everything as dots") expect(text).toBe("");
      else expect(text).toContain("? Бурек (A)");
    }
  }
});

test("the text file is the journal, byte by byte", async ({ page, till, folder }) => {
  await till.pin();
  const { journal } = await till.sell();
  await open(page, till, "receipts/1");
  const text = page.waitForEvent("download");
  await page.getByRole("button", { name: "Text" }).click();
  expect((await bytesOf(await text, folder)).toString("utf8")).toBe(journal);
});

test("a hostile receipt is shown as plain text", async ({ page, till, folder }) => {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await till.pin();
  const payment = [{ amount: 500, paymentType: "Cash" }];
  const cashier = "<b>Ana</b>";
  await till.sell({ cashier, items: HOSTILE, payment }, { RequestId: "<i>order</i>" });
  await open(page, till, "receipts/1");
  await expect(page.locator(".paper")).toContainText("<img src=x onerror");
  await expect(page.locator(".paper")).toContainText("☕️🥐 emoji");
  await expect(page.locator(".paper img, .paper script, .paper b, .receipts i")).toHaveCount(0);
  await expect(page).toHaveTitle("Receipts · tillseal");
  for (const name of ["PNG 58mm", "PDF 80mm"]) {
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    expect((await bytesOf(await saved, folder)).length).toBeGreaterThan(1000);
  }
  await open(page, till, "traffic");
  await page.getByRole("link", { name: "POST /api/v3/invoices" }).click();
  await expect(page.locator(".entry")).toContainText("<img src=x onerror");
  await expect(page.locator(".entry img")).toHaveCount(0);
  // A right-to-left line does not affect its neighbours or the rest of the page.
  await open(page, till, "receipts/1");
  await expect(page.locator(".paper")).toContainText("\ufffdgnp.exe");
  const styles = "[...document.querySelectorAll('.paper bdi')].map((line) => getComputedStyle(line))";
  const lines = await page.evaluate<string[]>(`${styles}.map((style) => style.direction + " " + style.unicodeBidi)`);
  expect(new Set(lines)).toEqual(new Set(["ltr isolate"]));
  expect(complaints).toEqual([]);
});

test("a receipt that is too long for a picture says so, and is available as text", async ({ page, till, folder }) => {
  await till.pin();
  const items = Array.from({ length: 2000 }, (_, i) => ({ ...HOSTILE[0], name: `Item ${i}` }));
  const { journal } = await till.sell({ items, payment: [{ amount: 200_000, paymentType: "Cash" }] });
  await open(page, till, "receipts/1");
  await page.getByRole("button", { name: "PNG 58mm" }).click();
  await expect(page.getByText("This receipt is too long for a picture. Use its text.")).toBeVisible();
  // A PDF page has a maximum height too, so the receipt takes several pages.
  const pdf = page.waitForEvent("download");
  await page.getByRole("button", { name: "PDF 80mm" }).click();
  const file = join(folder, "long.pdf");
  writeFileSync(file, await bytesOf(await pdf, folder));
  expect(execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" })).toContain("Item 1999");
  const text = page.waitForEvent("download");
  await page.getByRole("button", { name: "Text" }).click();
  expect((await bytesOf(await text, folder)).toString("utf8")).toBe(journal);
});

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

test("an incomplete or absurd year breaks nothing", async ({ page, till }) => {
  await till.pin();
  await till.sell();
  await open(page, till, "receipts");
  for (const [from, found] of [
    ["0020-01-01", 1],
    ["2020-01-01", 1],
    ["2999-01-01", 0],
  ] as const) {
    await page.getByLabel("From").fill(from);
    await expect(page.locator("tbody tr")).toHaveCount(found);
  }
});

test("receipts are found by number, counter, RequestId, amount and day", async ({ page, till }) => {
  await till.pin();
  for (const amount of [100, 250.5, 1000]) {
    const item = { name: "Tea", quantity: 1, unitPrice: amount, labels: ["A"], totalAmount: amount };
    await till.sell({ items: [item], payment: [{ amount, paymentType: "Card" }] }, { RequestId: `order-${amount}` });
  }
  await open(page, till, "receipts");
  const rows = page.locator("tbody tr");
  await expect(rows).toHaveCount(3);
  for (const [text, found] of [
    ["TESTCARD-TESTCARD-2", "250.50"],
    ["3", "1,000.00"],
    ["order-1000", "1,000.00"],
    ["250,50", "250.50"],
  ] as const) {
    await page.getByLabel("Search").fill(text);
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText(found);
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
  const csv = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV of all", exact: true }).click();
  const [head = "", first = ""] = (await bytesOf(await csv, folder)).toString("utf8").split("\n");
  expect(head).toContain("number,requestId,time,totalAmount");
  expect(first).toContain("TESTCARD-TESTCARD-1,order-1,");
  // A spreadsheet must not take it for a formula.
  expect(first).toContain("'=1+1");
  const ndjson = page.waitForEvent("download");
  await page.getByRole("link", { name: "NDJSON of all" }).click();
  const lines = (await bytesOf(await ndjson, folder)).toString("utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).answer.totalCounter)).toEqual([1, 2]);
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
  // One line, however long it is.
  const id = rows.nth(1).locator(".request-id");
  expect((await id.boundingBox())?.height).toBeLessThan(30);
  await page.locator(".language select").selectOption("Srpski");
  await expect(rows.nth(0)).toContainText("Refundacija");
  await page.locator(".language select").selectOption("English");
  await rows.nth(0).getByRole("link").click();
  // Verdict and files are visible without scrolling.
  await expect(page.getByText("The signature is the card's.")).toBeInViewport();
  await expect(page.getByRole("button", { name: "PDF 80mm" })).toBeInViewport();
  await page.locator(".receipt").getByRole("link", { name: "TESTCARD-TESTCARD-1" }).click();
  await expect(page.locator(".receipt h2")).toHaveText("TESTCARD-TESTCARD-1");
});

test("an empty shop differs from a search without results, and a search says how it was understood", async ({
  page,
  till,
}) => {
  await till.pin();
  await open(page, till, "receipts");
  await expect(page.getByText("No receipts yet.")).toBeVisible();
  await till.sell();
  await expect(page.locator("tbody tr")).toHaveCount(1);
  const search = page.getByLabel("Search");
  for (const [text, understood] of [
    ["03:33", "Searched for: 03:33 today"],
    ["250,50", "Searched for: amount 250.50 or amount 25,050.00 or number or RequestId 250,50"],
    ["7", "Searched for: amount 7.00 or counter 7 or number or RequestId 7"],
    ["order", "Searched for: number or RequestId order"],
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
  await page.getByText("Filter", { exact: true }).click();
  await page.getByLabel("Cashier").fill("bora");
  await expect(rows).toHaveCount(1);
  await page.getByLabel("Payment").selectOption("Card");
  await expect(page.getByText("Nothing found.")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows).toHaveCount(4);
  await page.getByLabel("Kind").selectOption("Refund");
  await expect(rows).toHaveCount(1);
  await page.screenshot({ path: "out/console/receipts-filtered.png" });
  await open(page, till, "receipts/1");
  await expect(page.locator(".followers a")).toHaveText(["TESTCARD-TESTCARD-3", "TESTCARD-TESTCARD-4"]);
  await page.screenshot({ path: "out/console/receipts-followed.png" });
});
