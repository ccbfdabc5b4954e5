/** Audit: a whole audit by mouse, over the network and by stick, with the emulated tax authority. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Download, Page } from "@playwright/test";
import {
  enterPin,
  expect,
  open,
  savedBy,
  scenarioFlags,
  seriousInAllColours,
  seriousOn,
  type Till,
  test,
} from "./till.js";

const UID = "TESTCARD";

/** Each sale is 100, and four of them reach the limit. Without auditShare the till would start the audit itself; here a person does. */
test.use({
  flags: scenarioFlags('{ authority: {}, card: { limit: "400" }, settings: { auditShare: 100 } }'),
  ignoreHTTPSErrors: true,
});

const sells = async (till: Till, times: number) => {
  for (let i = 0; i < times; i++) await till.sell();
};

/** The emulated authority's address, from the link on the page. */
const authorityOf = async (page: Page) =>
  (await page.getByRole("link", { name: "Open the emulated tax authority" }).getAttribute("href")) ?? "";
const statusOf = async ({ url }: Till) => (await (await fetch(`${url}/api/v3/status`)).json()) as { gsc: string[] };
const panel = (page: Page, title: string) =>
  page.locator(".panel").filter({ has: page.getByRole("heading", { name: title, exact: true }) });

/** Clicks a button and answers the question that follows. */
const clickAndAgree = async (page: Page, name: string, answer = name) => {
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: answer, exact: true }).click();
};

test("a till that has reached its limit is audited by mouse, and sells again", async ({ page, request, till }) => {
  await till.pin();
  await open(page, till, "audit");
  await expect(page.getByText("No audit is open.")).toBeVisible();
  await expect(panel(page, "Tax authority")).toContainText(/Reachable\s*yes, asked .+; since/);
  await expect(panel(page, "Tax authority")).toContainText(/Comes from\s*the tax authority, /);
  const authority = await authorityOf(page);
  await sells(till, 3);
  expect((await statusOf(till)).gsc).toEqual(["0100", "0210", "1400"]);
  await request.patch(`${authority}/admin/faults`, { data: { holdProofs: true } });
  // The till would start the audit itself half a second after the sale that reaches the limit; the person is asked before it.
  await page.getByRole("button", { name: "Start audit", exact: true }).click();
  await sells(till, 1);
  await page.getByRole("dialog").getByRole("button", { name: "Start audit", exact: true }).click();
  await expect(page.getByText("An audit has started.")).toBeVisible();
  await expect(till.sell()).rejects.toThrow("2210");
  await expect(panel(page, "Sum and limit")).toContainText("400.00 of 400.00");
  await expect(page.locator('.steps [aria-current="step"]')).toContainText("The tax authority sends the proof");
  await expect(page.locator(".steps .stepDone")).toHaveCount(3);
  await expect(panel(page, "Sales without a proof of audit")).toContainText("all sent");
  await expect(panel(page, "Sales without a proof of audit")).toContainText(`${UID}-${UID}-4: verified`);
  expect(await seriousOn(page)).toEqual([]);

  await request.patch(`${authority}/admin/faults`, { data: { holdProofs: false } });
  await page.getByRole("button", { name: "Request the proof again" }).click();
  await expect(page.getByText(/Last audit: ended/)).toBeVisible();
  await expect(panel(page, "Sum and limit")).toContainText("0.00 of 400.00");
  await expect(panel(page, "Sales without a proof of audit").locator(".amounts")).toHaveText("0 of 100,000");
  await sells(till, 1);

  const opened = page.waitForEvent("popup");
  await expect(page.getByText("Your browser warns you there")).toBeVisible();
  await page.getByRole("link", { name: "Open the emulated tax authority" }).click();
  const pages = await opened;
  await expect(pages.getByRole("link", { name: `${UID}.commands` })).toBeVisible();
});

/** The browser's private file system serves as the stick: the same interface, without the system's dialog. */
const pluggedStick = (page: Page) =>
  page.addInitScript({ content: "window.showDirectoryPicker = () => navigator.storage.getDirectory()" });

/** Names and base64 contents of the card's folder. */
const stickFolder = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(`(async () => {
    const files = {};
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("${UID}");
    for await (const entry of folder.values()) {
      const bytes = new Uint8Array(await (await entry.getFile()).arrayBuffer());
      files[entry.name] = btoa(String.fromCharCode(...bytes));
    }
    return files;
  })()`);

const putOnStick = (page: Page, name: string, text: string) =>
  page.evaluate(`(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("${UID}");
    const writing = await (await folder.getFileHandle("${name}", { create: true })).createWritable();
    await writing.write(${JSON.stringify(text)});
    await writing.close();
  })()`);

/** Uploads the folder on the authority's page and downloads the commands there. */
async function carried(pages: Page, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), "tillseal-test-")), UID);
  mkdirSync(folder);
  for (const [name, base64] of Object.entries(files)) writeFileSync(join(folder, name), Buffer.from(base64, "base64"));
  await pages.getByLabel("Files of a stick").setInputFiles(folder);
  await pages.getByRole("button", { name: "Upload files" }).click();
  const saved = await savedBy(pages.getByRole("link", { name: `${UID}.commands` }));
  const text = readFileSync(await saved.path(), "utf8");
  rmSync(join(folder, ".."), { recursive: true });
  return text;
}

test("a stick is carried to the authority and back by mouse, without internet", async ({ page, request, till }) => {
  await till.pin();
  await pluggedStick(page);
  await open(page, till, "audit");
  const authority = await authorityOf(page);
  await request.patch(`${authority}/admin/faults`, { data: { httpStatus: 503 } });
  await sells(till, 4);
  await expect(till.sell()).rejects.toThrow("2210");
  await page.getByRole("button", { name: "Export sales", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText("Sales do not wait for the audit, except at the limit.");
  await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();

  await clickAndAgree(page, "Export sales", "Choose folder");
  await enterPin(page);
  await expect(page.getByText(`Folder ${UID}: 4 sales and the request for a proof of audit.`)).toBeVisible();
  const files = await stickFolder(page);
  const packages = [1, 2, 3, 4].map((counter) => `${UID}-${UID}-${counter}.json`);
  expect(Object.keys(files).toSorted()).toEqual([...packages, `${UID}.arp`, "tillseal-copy.json"].toSorted());
  expect(Buffer.from(files[`${UID}.arp`] ?? "", "base64")).toHaveLength(256);

  await clickAndAgree(page, "Import commands", "Choose folder");
  await expect(page.getByRole("alert").filter({ hasText: "has no file of commands" })).toBeVisible();

  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: "Open the emulated tax authority" }).click();
  await putOnStick(page, `${UID}.commands`, await carried(await opened, files));
  await page.bringToFront();
  await clickAndAgree(page, "Import commands", "Choose folder");
  await enterPin(page);
  await expect(page.getByText("Commands executed: 1.")).toBeVisible();
  await expect(page.getByText(/Last audit: ended/)).toBeVisible();
  const { [`${UID}.results`]: results = "" } = await stickFolder(page);
  expect(JSON.parse(atob(results))).toMatchObject([{ success: true }]);
  await sells(till, 1);
});

test("a stick that is put in is noticed: the page asks, and does nothing by itself", async ({ page, till }) => {
  await till.pin();
  let places: string[] = [];
  await page.route("**/console/sticks", (route) => route.fulfill({ json: { places, problem: null } }));
  await open(page, till, "audit");
  await expect(page.getByRole("button", { name: "Import commands" })).toBeVisible();
  const notice = page.getByText("A stick or another drive was connected: /media/ana/NEW.");
  await expect(notice).toHaveCount(0);
  // The service announces a change, and the page asks for the sticks again.
  places = ["/media/ana/NEW"];
  await sells(till, 1);
  await expect(notice).toBeVisible();
  await page.getByRole("link", { name: "Receipts" }).click();
  await expect(notice).toBeVisible();
  await page.getByRole("button", { name: "Not now" }).click();
  await expect(notice).toHaveCount(0);
  await page.getByRole("link", { name: "Audit" }).click();
  await expect(notice).toBeVisible();
  places = [];
  await sells(till, 1);
  await expect(notice).toHaveCount(0);
});

test("a browser that cannot write to a stick says so and imports a single file", async ({ page, till }) => {
  await till.pin();
  await page.addInitScript({ content: "delete window.showDirectoryPicker" });
  await open(page, till, "audit");
  await expect(page.getByText("This browser cannot write to a stick.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Export sales" })).toHaveCount(0);
  const choose = async (name: string, buffer: Buffer) => {
    const chooser = page.waitForEvent("filechooser");
    await clickAndAgree(page, "Import commands", "Choose file");
    await (await chooser).setFiles({ name, mimeType: "", buffer });
  };
  const command = { commandId: "one", type: 1, payload: "ntp://time.example/", uid: UID };
  const buffer = Buffer.from(JSON.stringify([command]));
  // What a browser calls a second download, and a text that another program has saved.
  await choose(`${UID} (1).commands`, buffer);
  await expect(page.getByText(`${UID} (1).commands needs the name that the portal gave it`)).toBeVisible();
  await choose(`${UID}.commands`, Buffer.from([...buffer, 0x9a]));
  await expect(page.getByText(`${UID}.commands is not UTF-8. Nothing of it was executed`)).toBeVisible();
  const saved = page.waitForEvent("download");
  await choose(`${UID}.commands`, buffer);
  await enterPin(page);
  await expect(page.getByText("Waiting for your yes: 1.")).toBeVisible();
  expect(await resultsIn(await saved)).toEqual([]);

  const changes = panel(page, "Changes of tax rates and addresses");
  await expect(changes.getByRole("listitem").last()).toHaveText(/.+ntp:\/\/time\.example\/$/);
  expect(await seriousOn(page)).toEqual([]);
  const apply = async (pin: string) => {
    await changes.getByLabel("PIN").fill(pin);
    await changes.getByRole("button", { name: "Apply" }).click();
  };
  await apply("9999");
  await expect(changes.getByRole("alert")).toContainText("4");
  await till.pin();
  const again = page.waitForEvent("download");
  await apply("1234");
  // The next round with the authority may come before the repeated import.
  await expect(page.getByText(/^(Commands executed|Executed before): 1\.$/)).toBeVisible();
  expect(await resultsIn(await again)).toMatchObject([{ commandId: "one", success: true }]);
  await open(page, till, "till");
  await expect(
    page.getByText(/Tax rates or addresses have changed: ntpServer .* → ntp:\/\/time\.example\/\./),
  ).toBeVisible();
  await panel(page, "Changes of tax rates and addresses").getByRole("button", { name: "I have seen this" }).click();
  await enterPin(page);
  await expect(page.getByText(/have changed/)).toHaveCount(0);
});

async function resultsIn(download: Download): Promise<unknown> {
  expect(download.suggestedFilename()).toBe(`${UID}.results`);
  return JSON.parse(readFileSync(await download.path(), "utf8"));
}

test("an audit that needs the PIN asks for it, on this page and beside the limit", async ({ page, till }) => {
  await till.pin();
  await till.act("POST", "/do", { card: { patch: { sum: "400" } } });
  await till.act("POST", "/do", { card: "reset" });
  await open(page, till);
  await expect(page.locator(".verdict")).toHaveText("The card has reached its limit.");
  await expect(page.getByLabel("PIN", { exact: true })).toBeVisible();
  await open(page, till, "audit");
  await expect(page.getByText("An audit needs the card's PIN.")).toBeVisible();
  await page.getByLabel("PIN", { exact: true }).fill("1234");
  await page.getByRole("button", { name: "Enter" }).click();
  await expect(page.getByRole("button", { name: "Start audit" })).toBeVisible();
});

test.describe("on a phone, in Serbian", () => {
  test.use({ viewport: { width: 360, height: 740 }, locale: "sr-Cyrl-RS" });
  test("the page has no serious accessibility problem, and nothing is wider than the screen", async ({
    page,
    till,
  }) => {
    await till.pin();
    await sells(till, 3);
    await open(page, till, "audit");
    await expect(page.getByText("Ниједно очитавање није у току.")).toBeVisible();
    expect(await seriousInAllColours(page)).toEqual([]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(360);
    await page.getByRole("button", { name: "Почни очитавање" }).click();
    await page.screenshot({ path: join("out", "console", "audit-phone.png"), fullPage: true });
    expect(await seriousInAllColours(page)).toEqual([]);
  });
});
