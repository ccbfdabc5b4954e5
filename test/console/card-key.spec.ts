/** Audit: the PIN of the key in a real card, entered in the form. The service is in this process, because only a real card has the form. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base } from "@playwright/test";
import type { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { systemTimer } from "../../src/base/clock.js";
import { systemRandom } from "../../src/base/random.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { loadConfig } from "../../src/config/load.js";
import { Service } from "../../src/service/service.js";
import { makeCard } from "../support/emulated-card.js";
import { testLog } from "../support/log.js";
import { expect } from "./till.js";

const PIN = "1234";
const PKI_PIN = "9876";
const FULL = 5;

interface Shop {
  readonly url: string;
  readonly card: EmulatedCard;
}

const test = base.extend<{ profile: Record<string, unknown>; flags: Record<string, unknown>; shop: Shop }>({
  profile: [{ pkiPin: PKI_PIN }, { option: true }],
  flags: [{}, { option: true }],
  shop: async ({ profile, flags }, use) => {
    const card = makeCard({ pin: PIN, ...profile });
    const reader = new EmulatedReader();
    reader.insert(card);
    const service = new Service({
      settings: loadConfig({ flags: { port: 0, ...flags } }).settings,
      reader,
      environment: loadNamedEnvironment("specification"),
      environmentName: "specification",
      clock: { now: () => Date.now() },
      random: systemRandom,
      timer: systemTimer,
      log: testLog(),
      cardKey: "default",
    });
    await use({ url: await service.start(), card });
    await service.stop();
  },
});

const attempts = ({ card }: Shop) => card.memory.load().pkiPinTriesLeft;

test("a wrong PIN of the key costs one attempt and says so, and the right one opens the key", async ({
  page,
  shop,
}) => {
  await page.goto(`${shop.url}/#/audit`);
  const panel = page
    .locator(".panel")
    .filter({ has: page.getByRole("heading", { name: "Key for the tax authority" }) });
  const field = panel.getByLabel("PIN of the key");
  const enter = async (pin: string) => {
    await field.fill(pin);
    await panel.getByRole("button", { name: "Enter PIN" }).click();
  };
  await expect(panel).toContainText("The key in the card needs its own PIN");
  await expect(field).toHaveAttribute("type", "password");
  await enter("0000");
  await expect(panel.getByRole("alert")).toContainText("The key refused this PIN.");
  await expect(panel.locator(".tries")).toContainText(`${FULL - 1}`);
  // The page does not keep a PIN, and the card's own PIN is not offered while an attempt is missing.
  await expect(field).toHaveValue("");
  await expect(panel.getByRole("button", { name: "Try the card's PIN, once" })).toHaveCount(0);
  await enter("0000");
  await expect(panel.getByRole("alert")).toContainText("No PIN was sent, and no attempt was lost.");
  expect(attempts(shop)).toBe(FULL - 1);
  await enter(PKI_PIN);
  await expect(panel).toContainText("The key in the card is used for audits over the internet.");
  await expect(field).toHaveCount(0);
  expect(attempts(shop)).toBe(FULL);
});

test.describe("a card whose two PINs are the same", () => {
  test.use({ profile: { pkiPin: PIN } });
  test("a card whose two PINs are the same opens its key with one click, after its PIN was entered", async ({
    page,
    shop,
  }) => {
    await fetch(`${shop.url}/api/v3/pin`, { method: "POST", headers: { "Content-Type": "text/plain" }, body: PIN });
    await page.goto(`${shop.url}/#/audit`);
    await page.getByRole("button", { name: "Try the card's PIN, once" }).click();
    await expect(page.getByText("The key in the card is used for audits over the internet.")).toBeVisible();
    expect(attempts(shop)).toBe(FULL);
  });
});

test.describe("a key with one attempt left", () => {
  test.use({ profile: { pkiPin: PKI_PIN, pkiPinTries: 1 } });
  test("a key with one attempt left is locked by a wrong PIN, and the page says whom to ask", async ({
    page,
    shop,
  }) => {
    await page.goto(`${shop.url}/#/audit`);
    await page.getByLabel("PIN of the key").fill("0000");
    await page.getByRole("button", { name: "Enter PIN" }).last().click();
    await expect(page.getByText("The PIN of the key is locked. Ask the tax authority.").first()).toBeVisible();
    await expect(page.getByLabel("PIN of the key")).toHaveCount(0);
    expect(attempts(shop)).toBe(0);
  });
});

test.describe("the console of a shop", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "tillseal-key-"));
  test.use({ flags: { card: "pcsc", dataDir } });
  test.afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  test("the console of a shop sends the PIN of the key only together with the card's PIN", async ({ page, shop }) => {
    await page.goto(`${shop.url}/#/audit`);
    const panel = page.locator(".panel").filter({ has: page.getByLabel("PIN of the key") });
    const enter = async (pin: string) => {
      await panel.getByLabel("The card's PIN").fill(pin);
      await panel.getByLabel("PIN of the key").fill(PKI_PIN);
      await panel.getByRole("button", { name: "Enter PIN" }).click();
    };
    await enter("9999");
    await expect(panel.getByRole("alert")).toContainText("PIN");
    await expect(panel.getByLabel("The card's PIN")).toHaveValue("");
    expect(attempts(shop)).toBe(FULL);
    await enter(PIN);
    await expect(page.getByText("The key in the card is used for audits over the internet.")).toBeVisible();
  });
});
