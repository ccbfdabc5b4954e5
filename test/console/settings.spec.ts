/** Settings: refused with an explanation, saved in the file, applied after a restart. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { freePort } from "../support/free-port.js";
import { expect, open, type Start, type Till, test } from "./till.js";

/** A till whose port comes from the file, not from a flag. */
async function settableTill(start: Start, folder: string): Promise<Till> {
  writeFileSync(join(folder, "tillseal.yaml"), `# The shop at the corner.\nport: ${await freePort()}\n`);
  return start(["--data-dir", folder], []);
}

test("a busy port and an invalid one are refused, and nothing is saved", async ({ page, folder, start }) => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const till = await settableTill(start, folder);
  try {
    await open(page, till, "settings");
    for (const field of await page.locator(".setting select").all()) await expect(field).not.toHaveValue("");
    await page.getByLabel("Port", { exact: true }).fill(String((other.address() as AddressInfo).port));
    await page.getByRole("button", { name: "Check and save" }).click();
    await expect(page.getByText("Another program uses this port.").first()).toBeVisible();
    await page.getByLabel("Port", { exact: true }).fill("70000");
    await page.getByLabel("Segment in the path").fill("a token/");
    await page.getByRole("button", { name: "Check and save" }).click();
    await expect(page.getByText("Enter a whole number from 0 to 65535.").first()).toBeVisible();
    await expect(page.getByLabel("Port", { exact: true })).toBeFocused();
    await expect(page.locator("#pathSegment-problem")).toContainText("no spaces and no slash");
    const language = page.locator("header select");
    await language.selectOption("sr-Latn");
    await expect(page.locator("#pathSegment-problem")).toContainText("bez razmaka i kose crte");
    await language.selectOption("en");
    expect(readFileSync(join(folder, "tillseal.yaml"), "utf8")).toContain(`port: ${new URL(till.url).port}\n`);
  } finally {
    other.close();
  }
});

test("saved settings apply after a restart, at the new address, and the page follows", async ({
  page,
  folder,
  start,
}) => {
  const till = await settableTill(start, folder);
  const port = await freePort();
  await till.pin();
  await till.sell();
  await open(page, till, "settings");
  await page.getByLabel("Port", { exact: true }).fill(String(port));
  await page.getByLabel("English", { exact: true }).check();
  await page.getByLabel("Serbian (Cyrillic)", { exact: true }).check();
  await page.getByLabel("For tills that do not ask for a language").selectOption("Serbian (Cyrillic)");
  await page.getByLabel("Header").selectOption("centred");
  await page.getByRole("button", { name: "Check and save" }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
  const file = readFileSync(join(folder, "tillseal.yaml"), "utf8");
  expect(file).toContain("# The shop at the corner.");
  expect(file).toContain(`port: ${port}`);
  expect(file).toMatch(/languages:\n +- sr-Cyrl-RS\n +- en-US\n/);
  await page.getByRole("button", { name: "Restart the service now" }).click();
  await page.waitForURL(`http://127.0.0.1:${port}/#/settings`);
  await expect(page.getByRole("heading", { name: "Settings" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Restart the service now" })).toHaveCount(0);
  const moved = `http://127.0.0.1:${port}/api/v3`;
  await fetch(`${moved}/pin`, { method: "POST", body: "1234" });
  const answer = await fetch(`${moved}/test-invoice`, { method: "POST" });
  const { journal, totalCounter } = (await answer.json()) as { journal: string; totalCounter: number };
  expect(journal).toContain("ОБУКА");
  // The store is the same as before.
  expect(totalCounter).toBe(2);
});

test("the service keeps its old settings and says why when the new ones do not start", async ({
  page,
  folder,
  start,
}) => {
  const till = await settableTill(start, folder);
  const port = await freePort();
  const other = createServer();
  try {
    await open(page, till, "settings");
    await page.getByLabel("Port", { exact: true }).fill(String(port));
    await page.getByRole("button", { name: "Check and save" }).click();
    await expect(page.getByText("Saved.")).toBeVisible();
    // The port becomes busy after it was checked.
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    await page.getByRole("button", { name: "Restart the service now" }).click();
    await expect(
      page.getByText(`The last restart failed, and the service runs with its old settings: port ${port} is in use`),
    ).toBeVisible();
    await till.pin();
    await till.sell();
  } finally {
    other.close();
  }
});

test("a setting from a flag cannot be changed here", async ({ page, till }) => {
  await open(page, till, "settings");
  await expect(page.getByText("Data is temporary")).toBeVisible();
  await expect(page.getByText("Set by --port, which overrides the file.")).toBeVisible();
  await expect(page.getByLabel("Port", { exact: true })).toBeDisabled();
});

test("another browser shows what one browser saves", async ({ page, context, folder, start }) => {
  const till = await settableTill(start, folder);
  await open(page, till, "settings");
  const other = await context.newPage();
  await open(other, till, "settings");
  await page.getByLabel("Header").selectOption("centred");
  await page.getByRole("button", { name: "Check and save" }).click();
  await expect(other.getByText("After a restart of the service, these apply: Header.")).toBeVisible();
  await expect(other.getByLabel("Header").locator("option:checked")).toHaveText("centred");
});

test("typed values survive a visit to another page, and one click undoes them", async ({ page, folder, start }) => {
  const till = await settableTill(start, folder);
  const port = new URL(till.url).port;
  await open(page, till, "settings");
  await page.getByLabel("Port", { exact: true }).fill("70000");
  await page.getByRole("button", { name: "Check and save" }).click();
  await expect(page.locator("#port-problem")).toBeVisible();
  await page.getByRole("link", { name: "Receipts" }).click();
  await page.getByRole("link", { name: "Settings" }).click();
  await expect(page.getByLabel("Port", { exact: true })).toHaveValue("70000");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByLabel("Port", { exact: true })).toHaveValue(port);
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Check and save" })).toBeDisabled();
});

test("the record of changes is shown below the settings, with the old values", async ({ page, folder, start }) => {
  const till = await settableTill(start, folder);
  await open(page, till, "settings");
  await page.getByLabel("Header").selectOption("centred");
  await page.getByRole("button", { name: "Check and save" }).click();
  await page.getByRole("button", { name: "Restart the service now" }).click();
  const record = page.locator("section.panel").filter({ hasText: "Record of changes" });
  const newest = record.locator("details").first();
  await expect(newest.locator("summary")).toContainText("Settings");
  await newest.locator("summary").click();
  await expect(newest.locator("li").filter({ hasText: "Header" })).toHaveText(/^Header\s+centred$/);
  await expect(record.locator("details").last()).toContainText("Version");
});

test("with a real card a restart needs its PIN, and without a card it does not happen", async ({
  page,
  folder,
  start,
}) => {
  const till = await start(["--data-dir", folder, "--card", "pcsc"]);
  writeFileSync(join(folder, "tillseal.yaml"), "technician: Ana\n");
  await open(page, till, "settings");
  await page.getByLabel("The card's PIN").fill("1234");
  const asked = page.waitForRequest("**/console/restart");
  await page.getByRole("button", { name: "Restart the service now" }).click();
  const request = await asked;
  expect(request.postDataJSON()).toEqual({ pin: "1234" });
  expect((await request.response())?.status()).toBe(403);
  await expect(page.getByText("There is no card in the reader.").first()).toBeVisible();
  await expect(page.getByLabel("The card's PIN")).toHaveValue("");
  await expect(page.getByRole("button", { name: "Restart the service now" })).toBeVisible();
});
