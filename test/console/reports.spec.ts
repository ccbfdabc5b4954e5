/** Reports and sales in doubt, as a shopkeeper sees and settles them. */
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backupStore } from "../../src/ledger/backup.js";
import { endTill, enterPin, expect, open, seriousOn, test } from "./till.js";

const verdict = ".verdict";

test("a restored backup is reported until it is confirmed", async ({ page, folder, start }) => {
  const dataDir = join(folder, "data");
  const copy = join(folder, "copy.db");
  // With an authority, the sales that this store lacks would stay a warning until the next audit.
  const flags = ["--no-authority", "--data-dir", dataDir];
  const before = await start(flags);
  await before.pin();
  await before.sell();
  await backupStore(dataDir, copy);
  await before.sell();
  await before.sell();
  await endTill(before);
  for (const suffix of ["-wal", "-shm"]) rmSync(join(dataDir, `store/tillseal.db${suffix}`), { force: true });
  copyFileSync(copy, join(dataDir, "store/tillseal.db"));
  const till = await start(flags);
  await till.pin();
  await open(page, till);
  await expect(page.locator(verdict)).toHaveText(
    "Ready to sell. Invoices of the card TESTCARD are missing or incomplete in this store.",
  );
  const what = "Invoices 2 to 3: this service has number and amount of the last one, and lacks the others.";
  await expect(page.getByText(what)).toBeVisible();
  await page.getByRole("button", { name: "Confirm" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm that these receipts are elsewhere?" });
  await dialog.getByRole("button", { name: "Back" }).click();
  await expect(page.getByText(what)).toBeVisible();
  await page.getByRole("button", { name: "Confirm" }).click();
  expect(await seriousOn(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await enterPin(page);
  await expect(page.locator(verdict)).toHaveText("Ready to sell.");
  await expect(page.getByText(what)).toHaveCount(0);
});

test.describe("with a card that cannot repeat its last invoice", () => {
  const NAME = "<img src=x onerror=alert(1)>";
  test.use({
    flags: async ({ folder }, use) => {
      const profile = join(folder, "card.yaml");
      writeFileSync(profile, "lastSignedInvoice: false\n");
      await use(["--profile", profile]);
    },
  });

  test("a sale in doubt stops the till, in every language, until a Training receipt settles it", async ({
    page,
    till,
  }) => {
    await till.pin();
    await till.act("POST", "/do", { faults: [{ on: "sign", kind: "removedBefore", nth: 1 }] });
    await expect(till.sell({}, { RequestId: NAME })).rejects.toThrow("1300");
    await open(page, till);
    await expect(page.locator(verdict)).toHaveText("There is no card in the reader.");
    await expect(page.getByText("Put in the card TESTCARD and enter its PIN")).toBeVisible();
    await till.act("POST", "/do", { card: "insert" });
    await till.pin();
    await expect(page.locator(verdict)).toHaveText("A sale is in doubt. No other sale is signed.");
    // A RequestId is shown exactly as it was sent.
    await expect(page.getByText(`100.00 · `)).toContainText(`card TESTCARD · RequestId ${NAME}`, { ignoreCase: true });
    const language = page.getByRole("combobox");
    await language.selectOption("sr-Latn");
    await expect(page.locator(verdict)).toHaveText("Jedna prodaja je neizvesna. Druge prodaje se ne potpisuju.");
    await language.selectOption("sr-Cyrl");
    await expect(page.getByText("Ова картица не уме да каже да ли је потписала.")).toBeVisible();
    await language.selectOption("en");
    await page.getByRole("button", { name: "Sign a Training receipt" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign one Training receipt?" });
    await dialog.getByRole("button", { name: "Sign a Training receipt" }).click();
    await expect(page.getByText("The card had not signed the sale. Sell it again.")).toBeVisible();
    await expect(page.locator(verdict)).toHaveText("Ready to sell.");
    expect(await till.sell({}, { RequestId: NAME })).toMatchObject({ totalCounter: 2 });
  });
});
