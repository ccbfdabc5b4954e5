/** Till: what a shopkeeper sees. */
import type { TillRecord } from "../../src/console/records/till.js";
import { endTill, expect, open, test } from "./till.js";

const verdict = ".verdict";

test("each wrong PIN is reported with the attempts left, and the right one makes the till ready", async ({
  page,
  till,
}) => {
  await open(page, till);
  await expect(page.locator(verdict)).toHaveText("The card waits for its PIN.");
  await expect(page.getByText("Attempts left: 5")).toBeVisible();
  for (const left of [4, 3]) {
    await page.getByLabel("PIN", { exact: true }).fill("9999");
    await page.getByRole("button", { name: "Enter" }).click();
    const said = `That PIN is wrong. Attempts left: ${left}`;
    await expect(page.getByRole("alert").filter({ hasText: said })).toBeVisible();
  }
  await page.getByLabel("PIN", { exact: true }).fill("1234");
  await page.getByRole("button", { name: "Enter" }).click();
  await expect(page.locator(verdict)).toHaveText("Ready to sell.");
  await expect(page.getByLabel("PIN", { exact: true })).toHaveCount(0);
});

test.describe("when a wrong PIN has its own HTTP status", () => {
  test.use({ flags: ["--answer-form", "device"] });
  test("a wrong PIN with its own HTTP status is reported in the same way", async ({ page, till }) => {
    await open(page, till);
    await page.getByLabel("PIN", { exact: true }).fill("9999");
    await page.keyboard.press("Enter");
    await expect(page.getByText("That PIN is wrong.")).toBeVisible();
  });
});

test("a PIN that was not sent because another one waits does not look like a wrong PIN", async ({ page, till }) => {
  await page.route("**/api/v3/pin", (route) => route.fulfill({ json: "2220", headers: { "Retry-After": "4" } }));
  await open(page, till);
  await page.getByLabel("PIN", { exact: true }).fill("1234");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert").filter({ hasText: "Try again in a few seconds" })).toBeVisible();
});

test("a sale of a POS appears without a reload and adds to the sum", async ({ page, till }) => {
  await till.pin();
  await open(page, till);
  await expect(page.getByText("There are no receipts.")).toBeVisible();
  const { invoiceNumber } = await till.sell({}, { RequestId: "order-1" });
  await expect(page.getByRole("link", { name: String(invoiceNumber) })).toBeVisible();
  await expect(page.locator('p:has-text("Sold since the last audit") + .amounts strong')).toHaveText("100.00");
});

test("the verdict follows the card: pulled out, inserted again, locked", async ({ page, till }) => {
  await till.pin();
  await open(page, till);
  await expect(page.locator(verdict)).toHaveText("Ready to sell.");
  await till.act("POST", "/do", { card: "remove" });
  await expect(page.locator(verdict)).toHaveText("There is no card in the reader.");
  await expect(page.getByText("1300")).toBeVisible();
  await till.act("POST", "/do", { card: "insert" });
  await expect(page.locator(verdict)).toHaveText("The card waits for its PIN.");
  await till.act("POST", "/do", { card: { patch: { locked: true } } });
  await expect(page.locator(verdict)).toHaveText("The card is locked for good.");
  await expect(page.getByText("2110")).toBeVisible();
});

test("a missing reader is distinguished from a missing card", async ({ page, till }) => {
  await open(page, till);
  await till.act("POST", "/do", { card: "unplug" });
  await expect(page.locator(".verdict")).toHaveText("There is no card reader.");
  await till.act("POST", "/do", { card: "plug" });
  await till.act("POST", "/do", { card: "remove" });
  await expect(page.locator(".verdict")).toHaveText("There is no card in the reader.");
});

test("the limit stops the till until an audit", async ({ page, till }) => {
  await till.pin();
  await open(page, till);
  await till.act("POST", "/do", { card: { patch: { limit: "1000", sum: "800" } } });
  await expect(page.locator(verdict)).toHaveText("Ready to sell. An audit is due.");
  await expect(page.getByText("80 % of the card's limit")).toBeVisible();
  await till.act("POST", "/do", { card: { patch: { sum: "1000" } } });
  await expect(page.locator(verdict)).toHaveText("The card has reached its limit.");
  await till.act("POST", "/do", { authority: "audit" });
  await expect(page.locator(verdict)).toHaveText("Ready to sell.");
  await expect(page.getByText("0 % of the card's limit")).toBeVisible();
});

test("the page Till says when the time server was asked, and that it did not answer", async ({ page, till }) => {
  const clock = {
    server: "ntp://time.test",
    ahead: 3,
    at: "2026-11-21T09:00:00Z",
    off: false,
    problem: null as unknown,
  };
  await page.route("**/console/till", async (route) => {
    const record = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...record, clock } });
  });
  await open(page, till);
  await page.getByText("For technicians").click();
  const environment = page.locator(".technicians");
  await expect(environment).toContainText(/ntp:\/\/time\.test, asked .*10:00.*: the clock was 3 seconds ahead/);
  clock.problem = "no answer";
  await page.reload();
  await page.getByText("For technicians").click();
  await expect(environment).toContainText(/ntp:\/\/time\.test did not answer, asked .*10:00/);
});

test("a full disk stops the till until there is room", async ({ page, till }) => {
  await till.pin();
  await open(page, till);
  await expect(page.locator(verdict)).toHaveText("Ready to sell.");
  await till.act("POST", "/do", { faults: [{ on: "storeIntent", kind: "diskFull" }] });
  await expect(till.sell()).rejects.toThrow("the sale was not signed");
  await expect(page.locator(verdict)).toHaveText("The disk is full. Nothing can be sold.");
  await till.act("POST", "/do", { faults: "clear" });
  await expect(page.locator(verdict)).toHaveText("Ready to sell.");
  await till.sell();
});

test.describe("without tax rates", () => {
  test.use({ flags: ["--environment", "none"] });
  test("a till without tax rates says what is missing", async ({ page, till }) => {
    await open(page, till);
    await expect(page.locator(verdict)).toHaveText("There are no tax rates yet.");
  });
});

test.describe("with a card whose certificate has expired", () => {
  test.use({ flags: ["--scenario", "status/certificate-ended"] });
  test("a till whose card has expired does not say that it is ready", async ({ page, till }) => {
    await till.pin();
    await open(page, till);
    await expect(page.locator(verdict)).toHaveText("The card's certificate is not valid at this time.");
    await expect(till.sell()).rejects.toThrow("2809");
  });
});

test("a restart shows no alarm", async ({ page, till }) => {
  await open(page, till);
  await expect(page.locator(verdict)).toHaveText("The card waits for its PIN.");
  // Collects everything that the page says in the meantime.
  const shown = page.evaluate<string[]>(`new Promise((resolve) => {
    const texts = new Set();
    const look = () => texts.add(document.querySelector(".connection").textContent + document.querySelector(".verdict").textContent);
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
    look();
    setTimeout(() => resolve([...texts]), 3000);
  })`);
  await till.act("POST", "/do", { service: "kill" });
  await till.pin();
  await expect(page.locator(verdict)).toHaveText("Ready to sell.");
  expect(await shown).toEqual(["The card waits for its PIN.", "Ready to sell."]);
});

test("a service that hangs is reported within seconds, with the time of its last answer", async ({ page, till }) => {
  await till.pin();
  await open(page, till);
  await expect(page.locator(verdict)).toHaveText("Ready to sell.");
  await expect(page.getByText(/^As of .*\d\d:\d\d:\d\d$/)).toBeVisible();
  till.process.kill("SIGSTOP");
  await expect(page.locator(verdict)).toHaveText("The service does not answer.", { timeout: 30_000 });
  await expect(page.getByText(/^As of .*\d\d:\d\d:\d\d$/)).toBeVisible();
  till.process.kill("SIGCONT");
  await expect(page.locator(verdict)).toHaveText("Ready to sell.", { timeout: 30_000 });
});

test("a service that is gone is reported until it is back", async ({ page, start }) => {
  const till = await start([]);
  await open(page, till);
  await till.act("POST", "/do", { service: "kill" });
  await till.pin();
  await expect(page.locator(verdict)).toHaveText("Ready to sell.");
  await endTill(till);
  await expect(page.locator(verdict)).toHaveText("The service does not answer.");
  await expect(
    page.getByText(/^If the till does not sell either, wait a minute, then restart its computer\./),
  ).toBeVisible();
  await expect(page.getByText(/does not answer|No connection/)).toHaveCount(1);
});

test("the warning about a test card in a shop is shown with every verdict", async ({ page, till }) => {
  // Only status and record of a real reader show this; the test changes this record of the emulator.
  await page.route("**/console/till", async (route) => {
    const answer = await route.fetch();
    const record = (await answer.json()) as TillRecord;
    const finding = { key: "testCard", code: "9002", severity: "warns", values: {} };
    await route.fulfill({ response: answer, json: { ...record, findings: [...record.findings, finding] } });
  });
  await open(page, till);
  await expect(page.locator(verdict)).toHaveText("The card waits for its PIN.");
  await expect(page.getByText("This is a test card: its receipts are not valid.")).toBeVisible();
});

test("the newest receipts have one line each, on a phone too, and the bar of pages shows every page", async ({
  page,
  till,
}) => {
  await till.pin();
  for (let i = 0; i < 3; i++) await till.sell({}, { RequestId: `a-long-name-of-an-order-${i}` });
  await open(page, till);
  const size = (of: string) =>
    page
      .locator(of)
      .evaluate((it) => Number.parseFloat(it.ownerDocument.defaultView?.getComputedStyle(it).fontSize ?? ""));
  expect(await size(".sum-of-days")).toBeGreaterThanOrEqual(await size(".verdict"));
  const [bar, panel] = [await page.locator(".bars svg").boundingBox(), await page.locator(".bars").boundingBox()];
  expect((bar?.width ?? 0) / (panel?.width ?? 1)).toBeLessThan(0.3);
  await page.setViewportSize({ width: 390, height: 800 });
  const links = page.locator(".receipts.brief th a");
  await expect(links).toHaveText(["3", "2", "1"]);
  await expect(links.first()).toHaveAccessibleName("TESTCARD-TESTCARD-3");
  const row = await page.locator(".receipts.brief tbody tr").first().boundingBox();
  const link = await links.first().boundingBox();
  expect(link?.height).toBeGreaterThanOrEqual(24);
  expect((row?.height ?? 0) < 2 * (link?.height ?? 0) + 20).toBe(true);
  for (const link of await page.getByRole("navigation").getByRole("link").all()) {
    await expect(link).toBeInViewport({ ratio: 1 });
  }
});
