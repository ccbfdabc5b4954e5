/** Banners: a button that does what a finding asks for, whom to call, and a paragraph for each code. */
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { endTill, expect, open, scenarioFlags, test } from "./till.js";

/** Three sales of 100 make an audit due; the till does not start it by itself. */
const DUE = '{ authority: {}, card: { limit: "400" }, settings: { auditShare: 100 } }';
test.use({
  flags: scenarioFlags(DUE, "--technician", "Ana, 060 123"),
  ignoreHTTPSErrors: true,
});

test("a due audit is started from the banner, runs, and without a connection goes by stick", async ({
  page,
  request,
  till,
}) => {
  await till.pin();
  for (let i = 0; i < 3; i++) await till.sell();
  await open(page, till, "audit");
  const authority =
    (await page.getByRole("link", { name: "Open the emulated tax authority" }).getAttribute("href")) ?? "";
  await request.patch(`${authority}/admin/faults`, { data: { holdProofs: true } });

  await open(page, till);
  const banner = page.locator(".till-state");
  await expect(banner).toContainText("An audit is due.");
  await expect(banner.getByRole("link", { name: "Carry to a stick" })).toBeVisible();
  // The command is there, but folded away.
  await expect(banner.getByText("The command is tillseal audit now")).toBeHidden();
  await banner.getByText("For technicians").click();
  await expect(banner.getByText("The command is tillseal audit now")).toBeVisible();

  await banner.getByRole("button", { name: "Start audit" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Start audit" }).click();
  await expect(banner).toContainText("An audit runs. Wait a minute.");
  await expect(banner.getByRole("button", { name: "Start audit" })).toHaveCount(0);

  await request.patch(`${authority}/admin/faults`, { data: { httpStatus: 503 } });
  await till.act("POST", "/do", { authority: "talk" });
  await expect(banner).toContainText("There is no connection to the tax authority");
  await expect(banner.getByRole("button", { name: "Start audit" })).toHaveCount(0);
  await page.addInitScript({ content: "window.showDirectoryPicker = () => navigator.storage.getDirectory()" });
  await page.reload();
  await banner.getByRole("link", { name: "Carry to a stick" }).click();
  await expect(page.getByRole("dialog")).toContainText("Export the sales to a stick?");
});

test("of two causes, the button of the headline's cause stands first, and only it is filled", async ({
  page,
  till,
}) => {
  await till.pin();
  for (let i = 0; i < 3; i++) await till.sell();
  await till.act("POST", "/do", { faults: [{ on: "storeIntent", kind: "diskFull" }] });
  await expect(till.sell()).rejects.toThrow("1999");
  await open(page, till);
  const banner = page.locator(".till-state");
  await expect(banner.locator(".verdict")).toContainText("The disk is full.");
  await expect(banner.locator("button, .button")).toHaveText(["Free space", "Start audit", "Carry to a stick"]);
  await expect(banner.locator(".main")).toHaveText(["Free space"]);
});

test("at the limit the banner says one thing, and who to call when the service is gone", async ({ page, till }) => {
  await till.pin();
  await till.act("POST", "/do", { card: { patch: { sum: "400" } } });
  await open(page, till);
  const banner = page.locator(".till-state");
  await expect(banner.locator(".verdict")).toHaveText("The card has reached its limit.");
  await expect(banner).not.toContainText("An audit is due.");
  await expect(banner).not.toContainText("Who to call");
  await endTill(till);
  await expect(banner.locator(".verdict")).toHaveText("The service does not answer.");
  await expect(banner).toContainText("Who to call: Ana, 060 123");
});

test("a code leads to its paragraph in the reader's language", async ({ page, till }) => {
  await open(page, till);
  await page.locator(".till-state").getByRole("link", { name: "1500" }).click();
  await expect(page.locator("#help-1500")).toBeInViewport();
  await expect(page.locator("#help-1500")).toContainText("PIN required");
  await expect(page.locator("#help-1500")).toContainText("If you have forgotten the PIN, do not guess.");
  for (const title of await page.locator(".help h2").allInnerTexts()) expect(title).toMatch(/^\d{4} \w/);
  await expect(page.locator("#help-9013 h2")).toHaveText("9013 Key for the tax authority");
  const titles = (await page.locator(".help h2").allInnerTexts()).map((title) => title.slice(5));
  expect(titles).toEqual([...new Set(titles)]);
  await page.getByLabel("Language").selectOption("sr-Cyrl");
  await expect(page.locator("#help-1500")).toContainText("Потребан је ПИН");
  await expect(page.locator("#help-9012")).toContainText("слободно је … MiB");
});

test("the doctor shows what needs a person first, with its button", async ({ page, till }) => {
  await open(page, till, "doctor");
  const [first] = await page.locator(".doctor li").all();
  await expect(first ?? page.locator("none")).toContainText("The card waits for its PIN.");
  await page.locator(".doctor").getByLabel("PIN").fill("1234");
  await page.locator(".doctor").getByRole("button", { name: "Enter PIN" }).click();
  await expect(page.locator(".doctor li").filter({ hasText: "The card waits" })).toHaveCount(0);
  const line = (name: string) =>
    page.locator(".doctor li").filter({ has: page.getByRole("heading", { name, exact: true }) });
  await expect(line("Store of the receipts")).toContainText("in memory");
  // Amounts and times as on the other pages.
  await expect(line("Sum and limit")).toContainText("0.00 of 400.00 signed since the last audit");
  await expect(line("Tax authority")).toContainText(/it answered at \d+ \w+ \d{4}, \d\d:\d\d:\d\d/);
  await till.act("POST", "/do", { card: "unplug" });
  await expect(line("Card reader")).toContainText("There is no card reader.");
  await expect(line("Card reader")).toContainText("The emulated reader is unplugged.");
  await expect(page.locator(".doctor")).not.toContainText("tillseal doctor");
});

test("settings try a folder for backups and say what to write where; technician and number of copies are set there", async ({
  page,
  folder,
  start,
}) => {
  const data = join(folder, "data");
  const copies = join(folder, "copies");
  mkdirSync(copies);
  const till = await start(["--data-dir", data]);
  await open(page, till, "settings");
  const input = page.getByLabel("Folder for backups");
  await input.fill(join(folder, "nowhere"));
  await page.getByRole("button", { name: "Test folder" }).click();
  await expect(page.getByText("nowhere does not exist.")).toBeVisible();
  await input.fill(copies);
  await page.getByRole("button", { name: "Test folder" }).click();
  await expect(page.getByText(`The service can write to ${copies}.`)).toBeVisible();
  await expect(page.getByText("on the same disk as the receipts")).toBeVisible();
  await expect(page.getByText(`backupFolder: ${copies}`)).toBeVisible();
  await expect(page.getByText(`Write this line into ${join(data, "tillseal.yaml")}`)).toBeVisible();

  await page.getByLabel("Technician").fill("Ana, 060 123");
  await page.getByLabel("Backups to keep").fill("12");
  await page.getByRole("button", { name: "Check and save" }).click();
  await expect(
    page.getByText("After a restart of the service, these apply: Technician, Backups to keep"),
  ).toBeVisible();
});

test("Free space deletes old backups on the store's disk, and says who to call", async ({ page, folder, start }) => {
  const data = join(folder, "data");
  const copies = join(folder, "copies");
  mkdirSync(copies);
  const flags = ["--data-dir", data, "--backup-folder", copies, "--technician", "Ana, 060 123"];
  const till = await start(flags);
  await till.pin();
  await expect.poll(() => readdirSync(copies).filter((name) => name.endsWith(".db")).length).toBe(1);
  const [newest = ""] = readdirSync(copies);
  const old = newest.replace(/\d{8}T\d{6}Z/, "20200101T000000Z");
  copyFileSync(join(copies, newest), join(copies, old));
  await till.act("POST", "/do", { faults: [{ on: "storeIntent", kind: "diskFull" }] });
  await expect(till.sell()).rejects.toThrow("1999");
  await open(page, till);
  const banner = page.locator(".till-state");
  await expect(banner).toContainText("Who to call: Ana, 060 123");
  // As a service with a real card answers: it deletes nothing for a program that does not know the PIN.
  await page.route("**/console/space", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), asksPin: true } });
  });
  await banner.getByRole("button", { name: "Free space" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Delete old backups: 1?");
  await dialog.getByLabel("The card's PIN").fill("1234");
  const asked = page.waitForRequest("**/console/space/free");
  await dialog.getByRole("button", { name: "Delete backups" }).click();
  expect((await asked).postDataJSON()).toEqual({ pin: "1234" });
  await expect(banner).toContainText(/\d MiB are free now/);
  expect(readdirSync(copies)).toEqual([newest]);
});
