/** Receipts on paper and in files: pictures, PDF, print, receipt printers. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printed } from "../support/receipt-printer.js";
import { scan } from "../support/scanner.js";
import { bytesOf, expect, needs, open, savedBy, test } from "./till.js";

/** Widths of receipt printers. */
const DPI = 203;

test("what is wider than the paper continues in the next line, on the page and in the pictures", async ({
  page,
  folder,
  start,
}) => {
  const profile = join(folder, "card.yaml");
  const businessName = "DRUŠTVO ZA PROIZVODNJU, PROMET I USLUGE PEKARA DOO BEOGRAD-NOVI BEOGRAD OGRANAK";
  writeFileSync(profile, JSON.stringify({ taxpayer: { businessName } }));
  const till = await start(["--profile", profile, "--journal-header", "left"]);
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
    "1234567-Test Shop 1",
  ]);
  expect(lines).toContain(`${"999,999,999,999.99".padStart(40)}\n`);
  await page.getByText("Other forms").click();
  expect(
    await scan(new Uint8Array(await bytesOf(await savedBy(page.getByRole("button", { name: "PNG 58mm" })), folder))),
  ).toEqual([verificationUrl]);
});

test("the QR code on the page, in PNG and in PDF leads to the verification page, which confirms the receipt", async ({
  page,
  till,
  folder,
}) => {
  needs("poppler-utils");
  await till.pin();
  const { verificationUrl } = await till.sell({ buyerId: "10:123456789" });
  await open(page, till, "receipts/1");
  expect(await scan(new Uint8Array(await page.locator(".paper").screenshot({ scale: "css" })))).toEqual([
    verificationUrl,
  ]);
  await page.getByText("Other forms").click();
  for (const width of ["58mm", "80mm"]) {
    expect(
      await scan(
        new Uint8Array(await bytesOf(await savedBy(page.getByRole("button", { name: `PNG ${width}` })), folder)),
      ),
    ).toEqual([verificationUrl]);
    const file = join(folder, "receipt.pdf");
    writeFileSync(file, await bytesOf(await savedBy(page.getByRole("button", { name: `PDF ${width}` })), folder));
    // At a printer's resolution, by an independent PDF reader.
    execFileSync("pdftoppm", ["-r", String(DPI), "-png", "-singlefile", file, join(folder, "receipt")]);
    expect(await scan(new Uint8Array(readFileSync(join(folder, "receipt.png"))))).toEqual([verificationUrl]);
    const points = (Number.parseInt(width, 10) * 72) / 25.4;
    const pageSize = /Page size: +([\d.]+)/.exec(execFileSync("pdfinfo", [file], { encoding: "utf8" }));
    expect(Number(pageSize?.[1])).toBeCloseTo(points, 1);
  }
  await page.goto(String(verificationUrl));
  await expect(page.locator(".verdict")).toContainText("valid");
  await expect(page.locator(".verdict")).not.toContainText(/invalid|not valid/i);
});

test("the text of a PDF can be searched and copied, in any script", async ({ page, till, folder }) => {
  for (const debianPackage of ["poppler-utils", "fonts-dejavu-core", "fonts-noto-color-emoji"]) needs(debianPackage);
  await till.pin();
  const names = ["Бурек са сиром и Љутеница Ђорђевић", "Šećer, čaj i đumbir Őrült", "☕️🥐 emoji", "קפה שחור"];
  const items = names.map((name) => ({ name, quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }));
  await till.sell({ items, cashier: "Љубица Џакић" });
  await open(page, till, "receipts/1");
  const file = join(folder, "receipt.pdf");
  writeFileSync(file, await bytesOf(await savedBy(page.getByRole("button", { name: "PDF 80mm" })), folder));
  const text = execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" });
  const printed = await page.locator(".paper bdi").allTextContents();
  const spaced = (raw: string) => raw.replaceAll(/ +/g, " ");
  for (const line of printed.filter((one) => !/[\u0590-\u05ff]/.test(one)))
    expect(spaced(text)).toContain(spaced(line).trim());
  // PDF readers output Hebrew in their own order.
  expect(text).toMatch(/[\u0590-\u05ff]{3}/);
  const fonts = execFileSync("pdffonts", [file], { encoding: "utf8" }).split("\n").slice(2, -1);
  // The font is embedded, with a map back to Unicode.
  expect(fonts).toEqual([expect.stringMatching(/DejaVuSansMono.*\byes +(yes|no) +yes\b/)]);
});

test("the browser prints only the receipt, with its QR code on the same page, on each paper", async ({
  page,
  till,
  folder,
}) => {
  needs("poppler-utils");
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
  for (const width of ["58mm", "80mm", "210mm"]) {
    const file = join(folder, `${width}.pdf`);
    writeFileSync(file, await page.pdf({ width, height: "297mm", printBackground: true, preferCSSPageSize: false }));
    expect(execFileSync("pdfinfo", [file], { encoding: "utf8" }), width).toMatch(/^Pages: +1$/m);
    const text = execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" }).trim();
    expect(text, width).toMatch(/^=+ FISCAL INVOICE =+\n/);
    expect(text, width).toMatch(/=+ END OF FISCAL INVOICE =+$/);
    expect(text, width).toContain(String(invoiceNumber));
    execFileSync("pdftoppm", ["-r", String(2 * DPI), "-png", "-singlefile", file, join(folder, width)]);
    expect(await scan(new Uint8Array(readFileSync(join(folder, `${width}.png`)))), width).toEqual([verificationUrl]);
  }
});

test("the files for a receipt printer print what the page shows, and their QR codes scan", async ({
  page,
  till,
  folder,
}) => {
  await till.pin();
  const item = { name: "☕ Бурек", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 };
  const { verificationUrl } = await till.sell({ items: [item] });
  await open(page, till, "receipts/1");
  await page.getByText("Other forms").click();
  for (const [width, dots] of [
    ["58mm", 384],
    ["80mm", 576],
  ] as const) {
    for (const name of ["the printer draws the QR code", "QR code as a picture", "everything as dots"]) {
      const { lines, picture } = printed(
        new Uint8Array(await bytesOf(await savedBy(page.getByText(`${width}, ${name}`)), folder)),
        dots,
      );
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
  expect((await bytesOf(await savedBy(page.getByRole("button", { name: "Text" })), folder)).toString("utf8")).toBe(
    journal,
  );
});

test("a receipt that is too long for a picture says so, and is available as text", async ({ page, till, folder }) => {
  needs("poppler-utils");
  await till.pin();
  const items = Array.from({ length: 1000 }, (_, i) => ({
    name: `Item ${i} ${"with a long name ".repeat(5)}`,
    quantity: 1,
    unitPrice: 100,
    labels: ["A"],
    totalAmount: 100,
  }));
  const { journal } = await till.sell({ items, payment: [{ amount: 100_000, paymentType: "Cash" }] });
  await open(page, till, "receipts/1");
  await page.getByText("Other forms").click();
  await page.getByRole("button", { name: "PNG 58mm" }).click();
  await expect(page.getByText("This receipt is too long for a picture. Use its text.")).toBeVisible();
  // A PDF page has a maximum height too, so the receipt takes several pages.
  const file = join(folder, "long.pdf");
  writeFileSync(file, await bytesOf(await savedBy(page.getByRole("button", { name: "PDF 80mm" })), folder));
  expect(execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" })).toContain("Item 999");
  expect((await bytesOf(await savedBy(page.getByRole("button", { name: "Text" })), folder)).toString("utf8")).toBe(
    journal,
  );
});
