/** Traffic: what a POS has sent, the answers, and the session as a scenario. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { freePort } from "../support/free-port.js";
import { CLI, expect, open, savedBy, test } from "./till.js";

test("the traffic shows each request with its answer, its time and the card's commands", async ({ page, till }) => {
  await open(page, till, "traffic");
  await expect(page.getByText("No requests are recorded.")).toBeVisible();
  await till.pin();
  await till.sell();
  const row = page.getByRole("row").filter({ hasText: "/api/v3/invoices" });
  await expect(row).toContainText("200");
  await expect(row).toContainText("1/1NS");
  await row.getByRole("link").click();
  const entry = page.locator(".entry");
  await expect(entry).toContainText('"cashier": "Cashier 1"');
  await expect(entry).toContainText('"invoiceNumber": "TESTCARD-TESTCARD-1"');
  await expect(entry.locator(".apdus")).toContainText("sign");
  await expect(entry.locator(".apdus")).toContainText("9000");
  const timeline = entry.getByRole("table", { name: "Where the time went, in ms" });
  const steps = async () => (await timeline.getByRole("rowheader").allTextContents()).map((text) => text.toLowerCase());
  // A wait that took no time has no row.
  const taken = async () => (await steps()).filter((step) => !step.includes("queue"));
  await expect.poll(taken).toEqual([expect.stringContaining("http"), "disk", "sign", "disk", "answer"]);
  await page.getByRole("link", { name: "POST /api/v3/pin" }).click();
  await expect(entry.getByRole("button", { name: "Send again" })).toHaveCount(0);
  // The PIN was never recorded.
  await expect(entry).toContainText("****");
  await expect(entry).not.toContainText("1234");
});

test("the traffic shows a body as it was sent, including every digit and duplicate keys", async ({ page, till }) => {
  await open(page, till, "traffic");
  const post = (body: string) =>
    fetch(`${till.url}/api/v3/invoices`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const entry = page.locator(".entry");
  await post('{"dateAndTimeOfIssue": 240.00, "payment": [{"amount": 12345678901234567.89}]}');
  await page.getByRole("link", { name: "POST /api/v3/invoices" }).click();
  await expect(entry).toContainText('"dateAndTimeOfIssue": 240.00');
  await expect(entry).toContainText("12345678901234567.89");
  await post('{"cashier":1,"cashier":2}');
  const links = page.getByRole("link", { name: "POST /api/v3/invoices" });
  await expect(links).toHaveCount(2);
  await links.first().click();
  await expect(entry).toContainText('{"cashier":1,"cashier":2}');
});

test("a request is sent again, and compared with another one field by field", async ({ page, till }) => {
  await till.pin();
  await till.sell({ cashier: "Ana" }, { RequestId: "order-1" });
  await till.sell({ cashier: "Bora" });
  await open(page, till, "traffic");
  const sales = page.getByRole("link", { name: "POST /api/v3/invoices" });
  await sales.last().click();
  const entry = page.locator(".entry");
  await entry.getByRole("button", { name: "Send again" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click();
  // The same RequestId: the stored receipt, not another one.
  await expect(sales).toHaveCount(3);
  await expect(page.getByRole("row").filter({ hasText: "1/1NS" })).toHaveCount(2);
  await entry.getByLabel("Compare with").selectOption({ index: 2 });
  await expect(entry.getByRole("table", { name: "Differences: Request" })).toContainText('cashier"Ana""Bora"');
  await expect(entry.getByRole("table", { name: "Differences: Answer" })).toContainText("invoiceCounter");
});

test("separates the console's own requests from those of tills", async ({ page, till }) => {
  await open(page, till, "receipts");
  await open(page, till, "traffic");
  await till.pin();
  await expect(page.getByRole("row")).toHaveCount(2);
});

test("a session is saved as a scenario that passes", async ({ page, till, folder }) => {
  await open(page, till, "traffic");
  await till.pin();
  await till.sell({}, { RequestId: "order-1" });
  await till.act("POST", "/do", { card: "remove" });
  await expect(till.sell()).rejects.toThrow("1300");
  const file = join(folder, "session.yaml");
  await (await savedBy(page.getByRole("button", { name: "Save as scenario" }))).saveAs(file);
  expect(readFileSync(file, "utf8")).toContain("card: remove");
  const played = execFileSync(process.execPath, [CLI, "scenario", "run", file], { encoding: "utf8" });
  expect(played).toContain("1 passed");
});

test("the traffic is that of the process that answers, even right after it replaced another one", async ({
  page,
  start,
}) => {
  const ports = ["--port", String(await freePort()), "--control-port", String(await freePort())];
  const first = await start(ports);
  await first.pin();
  for (let i = 0; i < 3; i++) await first.sell();
  await open(page, first, "traffic");
  await expect(page.getByRole("row")).toHaveCount(5);
  const ended = new Promise((resolve) => first.process.once("exit", resolve));
  first.process.kill("SIGKILL");
  await ended;
  const second = await start(ports);
  await second.pin();
  await second.sell();
  await expect(page.getByRole("row")).toHaveCount(3);
});

test("the traffic starts again when cleared", async ({ page, till }) => {
  await open(page, till, "traffic");
  await till.pin();
  await expect(page.getByRole("link", { name: "POST /api/v3/pin" })).toBeVisible();
  await page.getByRole("button", { name: "Clear list and recording" }).click();
  await expect(page.getByText("No requests are recorded.")).toBeVisible();
  await till.sell();
  await expect(page.getByRole("link", { name: "POST /api/v3/invoices" })).toBeVisible();
  await expect(page.getByRole("link", { name: "POST /api/v3/pin" })).toHaveCount(0);
});

test("the search of the traffic finds requests by words and by failure, and continues with older ones", async ({
  page,
  start,
}) => {
  const till = await start([]);
  const rows = page.locator("table.traffic tbody tr");
  const ask = (n: number) => fetch(`${till.url}/api/v3/attention?n=${n}`);
  await till.pin();
  await till.sell({}, { RequestId: "order-1" });
  for (let n = 1; n <= 119; n++) await ask(n);
  await open(page, till, "traffic");
  // The newest first, a page of 50 at a time.
  await expect(rows).toHaveCount(50);
  await expect(rows.first()).toContainText("n=119");
  const older = page.getByRole("button", { name: "Older" });
  await older.click();
  await expect(rows).toHaveCount(100);
  await older.click();
  await expect(rows).toHaveCount(121);
  await expect(rows.last()).toContainText("/api/v3/pin");
  await expect(rows.filter({ hasText: "invoices" }).locator(".request-id")).toHaveText("order-1");
  await expect(older).toHaveCount(0);
  await ask(120);
  await expect(rows.first()).toContainText("n=120");

  const search = page.getByRole("searchbox", { name: "Search" });
  await search.fill("ORDER-1");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("1/1NS");
  await page.getByRole("checkbox", { name: "Only failures" }).check();
  await expect(page.getByText("Nothing found.")).toBeVisible();
  await search.fill("invoices");
  await fetch(`${till.url}/api/v3/invoices`, { method: "POST", body: "{" });
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("400");
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);

  // A link opens a request that is on none of the loaded pages.
  await page.goto("about:blank");
  await page.goto(`${till.url}/#/traffic/2`);
  await expect(rows).toHaveCount(50);
  await expect(page.locator(".entry")).toContainText('"cashier": "Cashier 1"');
});

test.describe("with a real card", () => {
  test.use({
    flags: async ({ folder }, use) => use(["--card", "pcsc", "--data-dir", folder, "--traffic-minutes", "5"]),
  });

  test("the page Traffic of a real card exists when the setting turns it on, shows what tills sent, and saves nothing as a scenario", async ({
    page,
    till,
  }) => {
    // There is no card, and the answer that says so is what a technician looks for.
    await expect(till.sell({}, { RequestId: "order-1" })).rejects.toThrow("1300");
    await open(page, till, "till");
    await page.getByRole("link", { name: "Traffic" }).click();
    const row = page.getByRole("row").filter({ hasText: "/api/v3/invoices" });
    await expect(row).toContainText("1300");
    await row.getByRole("link").click();
    await expect(page.locator(".entry")).toContainText('"cashier": "Cashier 1"');
    await expect(page.getByRole("button", { name: "Save as scenario" })).toHaveCount(0);
    await page.getByRole("button", { name: "Clear list" }).click();
    await expect(page.getByText("No requests are recorded.")).toBeVisible();
  });
});

test("a request is copied as a curl command that sends it again", async ({ page, till, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await till.pin();
  await till.sell({ cashier: "Ana's till" }, { RequestId: "order-1" });
  await open(page, till, "traffic");
  await page.getByRole("link", { name: "POST /api/v3/invoices" }).click();
  await page.getByRole("button", { name: "Copy as curl" }).click();
  const command = await page.evaluate<string>("navigator.clipboard.readText()");
  const answer = JSON.parse(execFileSync("sh", ["-c", `${command} -s`], { encoding: "utf8" })) as object;
  // The RequestId is known: the service repeats its answer.
  expect(answer).toMatchObject({ totalCounter: 1 });
});
