/** A picture of each page, for the documentation and for reviewing what CI has built. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { Pos } from "../support/pos.js";
import { expect, open, type Till, test } from "./till.js";

const ROOT = join(import.meta.dirname, "..", "..");
const OUT = join(ROOT, "out", "console");

interface Variant {
  /** Behind the page's name in the file's name. */
  readonly suffix: string;
  readonly width: number;
  readonly language: "en" | "sr-Latn" | "sr-Cyrl";
  readonly colorScheme: "light" | "dark";
}

const WIDE: Variant = { suffix: "", width: 1440, language: "en", colorScheme: "light" };
/** Every language, light and dark, wide and narrow. */
const OTHERS: readonly Variant[] = [
  { suffix: "-latin-dark", width: 1440, language: "sr-Latn", colorScheme: "dark" },
  { suffix: "-cyrillic-phone-dark", width: 390, language: "sr-Cyrl", colorScheme: "dark" },
  { suffix: "-phone", width: 390, language: "en", colorScheme: "light" },
];
/** Tests take one picture of each page; `npm run pictures` takes all. */
const VARIANTS = process.env.TILLSEAL_TEST_PICTURES === "all" ? [WIDE, ...OTHERS] : [WIDE];

const HIGHEST = 2_600;

/** Also checks at each width that nothing is wider than the page. */
async function takePictures(page: Page, name: string, height = 900): Promise<void> {
  for (const { suffix, width, language, colorScheme } of VARIANTS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.locator(".language select").selectOption(language);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    // The bar at the bottom of a phone stays at the bottom: the window is as high as the page.
    const high = Number(await page.evaluate("document.documentElement.scrollHeight"));
    await page.setViewportSize({ width, height: Math.min(Math.max(high, height), HIGHEST) });
    await page.screenshot({ path: join(OUT, `${name}${suffix}.png`) });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  }
}

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
    await till.act("POST", "/do", { clock: { advance: "7m" } });
    await till.sell(
      { cashier: "Ana", items, payment: [{ amount, paymentType: "Card" }] },
      { RequestId: `table-${i + 1}` },
    );
  }
  await expect(till.sell({ items: [] })).rejects.toThrow("2807");
  await till.act("POST", "/do", { card: { patch: { limit: "60000", sum: "48320" } } });
}

test.use({ flags: ["--scenario", join(import.meta.dirname, "pictures.yaml")], deviceScaleFactor: 1 });

test("till, receipts, traffic and report", async ({ page, till }) => {
  await openForBusiness(till);
  await open(page, till);
  await expect(page.getByRole("link", { name: "TESTCARD-TESTCARD-7" })).toBeVisible();
  await takePictures(page, "till");

  await open(page, till, "receipts/7");
  await expect(page.locator(".paper")).toBeVisible();
  await takePictures(page, "receipts");

  await open(page, till, "traffic");
  await page.getByRole("link", { name: "POST /api/v3/invoices" }).nth(1).click();
  await expect(page.locator(".entry")).toBeVisible();
  await expect(page.locator(".apdus")).toContainText("sign");
  await takePictures(page, "traffic", 1400);

  const refund = { transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-2" };
  await till.sell({ ...refund, cashier: "Ana" });
  await open(page, till, "report");
  await expect(page.locator(".paper")).toBeVisible();
  await takePictures(page, "report");
});

test("a signed receipt beside its request, for the README", async ({ page, till }) => {
  await till.pin();
  const invoice = {
    cashier: "Ana",
    invoiceType: "Normal",
    transactionType: "Sale",
    payment: [{ amount: 240, paymentType: "Cash" }],
    items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
  };
  const { journal, verificationQRCode } = (await till.sell(invoice)) as { journal: string; verificationQRCode: string };
  const lines = journal.trimEnd().split("\r\n");
  const paper = [lines.slice(0, -1).join("\n"), lines.at(-1)];
  await page.setViewportSize({ width: 1000, height: 770 });
  await page.setContent(`<body style="margin: 0; display: flex; gap: 24px; padding: 24px; background: #eef1f4">
    <pre style="flex: 1; font-size: 15px; margin: 0; padding: 16px; background: #fff">POST /api/v3/invoices\n\n${JSON.stringify(invoice, null, 2)}</pre>
    <div style="padding: 16px; background: #fff; text-align: center"><pre>${paper[0]}</pre>
    <img width="220" src="${verificationQRCode}"><pre>${paper[1]}</pre></div></body>`);
  await page.screenshot({ path: join(OUT, "receipt.png") });
});

test("card", async ({ page, till }) => {
  await openForBusiness(till);
  await till.act("POST", "/do", { faults: [{ on: "sign", kind: "removedAfter", nth: 1 }] });
  await till.act("POST", "/do", { card: "remove" });
  await open(page, till, "card");
  await expect(page.locator(".verdict")).toHaveText("There is no card in the reader.");
  await expect(page.getByText("not yet struck")).toBeVisible();
  await expect(page.locator(".entries.scroll li").first()).toBeVisible();
  await takePictures(page, "card");
});

test("rehearsal", async ({ page, till }) => {
  const pos = new Pos(till.url);
  await pos.start();
  const sale = await pos.sell({ buyerId: "10:100000002" });
  if (sale) await pos.about(sale, { transactionType: "Refund" });
  await till.act("POST", "/rehearsal/situation", { name: "pos/lost-answer" });
  await pos.sell({ payment: [{ amount: 240, paymentType: "Card" }], invoiceNumber: "123/1.0-4" });
  await open(page, till, "rehearsal");
  await expect(page.locator(".badge.failed")).toHaveCount(1);
  await takePictures(page, "rehearsal");
});

test("audit", async ({ page, start }) => {
  const till = await start(["--scenario", join(import.meta.dirname, "pictures-audit.yaml")]);
  await openForBusiness(till);
  await open(page, till, "audit");
  await page.getByRole("button", { name: "Start audit", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start audit", exact: true }).click();
  await expect(page.locator(".stepNow")).toContainText("The tax authority sends the proof");
  await takePictures(page, "audit");
});

test("settings", async ({ page, start }) => {
  // The folder's name is the same on every machine.
  const folder = join("out", "console", "data");
  rmSync(join(ROOT, folder), { recursive: true, force: true });
  mkdirSync(join(ROOT, folder), { recursive: true });
  writeFileSync(join(ROOT, folder, "tillseal.yaml"), "port: 48431\nlanguages: [sr-Latn-RS, en-US]\n");
  const till = await start(["--data-dir", folder], []);
  await open(page, till, "settings");
  await expect(page.getByLabel("Serbian (Latin)", { exact: true })).toBeChecked();
  await takePictures(page, "settings");
});

test("doctor", async ({ page, till }) => {
  await till.act("POST", "/do", { card: { patch: { limit: "60000", sum: "48320" } } });
  await open(page, till, "doctor");
  await expect(page.locator(".doctor li").first()).toBeVisible();
  await takePictures(page, "doctor");
});

test("verification", async ({ page, till }) => {
  await till.pin();
  const { verificationUrl } = await till.sell();
  await page.goto(String(verificationUrl));
  await expect(page.locator(".verdict")).toBeVisible();
  await page.screenshot({ path: join(OUT, "verification.png") });
});
