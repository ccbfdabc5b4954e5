/** Card: every situation can be made with a click. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorldStep } from "../../emulator/world/step-types.js";
import { CONTROL_ENDPOINTS } from "../../harness/control/endpoints.js";
import { CONTROL_PREFIX } from "../../harness/scenario/remote.js";
import { expect, open, savedBy, type Till, test } from "./till.js";

const verdict = ".verdict";

test("a fault is added with its meaning, takes effect, and is removed", async ({ page, till }) => {
  await till.pin();
  await open(page, till, "card");
  await page.getByRole("combobox", { name: "What", exact: true }).selectOption("statusWord");
  await expect(page.getByText("the card answers statusWord without executing the command")).toBeVisible();
  await page.getByRole("combobox", { name: "On", exact: true }).selectOption("sign");
  await page.getByLabel("statusWord", { exact: true }).fill("6305");
  await page.getByLabel("Only the n-th time").fill("1");
  await page.getByRole("button", { name: "Add the fault" }).click();
  await expect(page.getByText("not yet struck")).toBeVisible();
  await expect(till.sell()).rejects.toThrow("2210");
  await expect(page.getByText("struck 1 of 1")).toBeVisible();
  await page.getByRole("button", { name: "Remove: statusWord" }).click();
  await expect(page.getByText("No faults are set.")).toBeVisible();
});

test("a kind of fault is offered only where it has an effect, with its own fields", async ({ page, till }) => {
  await open(page, till, "card");
  const what = page.getByRole("combobox", { name: "What", exact: true });
  const places = page.getByRole("combobox", { name: "On", exact: true }).getByRole("option");
  await what.selectOption("trickle");
  await expect(places).toHaveText(["answer"]);
  await expect(page.getByLabel("upTo", { exact: true })).toHaveCount(0);
  await page.getByLabel("duration", { exact: true }).fill("40s");
  await page.getByRole("button", { name: "Add the fault" }).click();
  await expect(page.getByText("not yet struck")).toBeVisible();
  await what.selectOption("garbage");
  await expect(places.filter({ hasText: /^(connect|answer|store.*)$/ })).toHaveCount(0);
});

test("an impossible fault is refused with an explanation", async ({ page, till }) => {
  await open(page, till, "card");
  await page.getByRole("combobox", { name: "What", exact: true }).selectOption("statusWord");
  await page.getByLabel("statusWord", { exact: true }).fill("63");
  await page.getByRole("button", { name: "Add the fault" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "The body is wrong" })).toBeVisible();
});

test("one click starts a scenario's situation", async ({ page, till }) => {
  await open(page, till, "card");
  await page.getByLabel("Search").fill("card-locked");
  await page.getByRole("button", { name: /^Start: A locked card/ }).click();
  await expect(page.getByText("Started: A locked card")).toBeVisible();
  await expect(page.locator(verdict)).toHaveText("The card is locked for good.");
  await expect(page.getByText("Code for tills: 2110")).toBeVisible();
});

test("disabled signing is shown before a sale is refused", async ({ page, till }) => {
  await till.pin();
  await open(page, till, "card");
  await page.getByRole("button", { name: "Send disable directive" }).click();
  await expect(page.locator(verdict)).toHaveText("The tax authority has switched signing off.");
  await expect(till.sell()).rejects.toThrow("2210");
});

test("a situation asks before it deletes receipts, says how many, and takes a snapshot first", async ({
  page,
  till,
}) => {
  await till.pin();
  for (let i = 0; i < 3; i++) await till.sell();
  await open(page, till, "card");
  const stored = page.getByText("Stored: 3 signed");
  await expect(stored).toBeVisible();
  await page.getByLabel("Search").fill("card-locked");
  const start = page.getByRole("button", { name: /^Start: A locked card/ });
  for (const begin of [
    start,
    page.getByRole("button", { name: "As the service was started" }),
    page.getByRole("button", { name: "Back to the start" }),
  ]) {
    await begin.click();
    const question = page.getByRole("dialog", { name: "Delete all receipts (3)?" });
    await expect(question).toBeVisible();
    await question.getByRole("button", { name: "Back", exact: true }).click();
    await expect(question).toHaveCount(0);
    await expect(begin).toBeFocused();
    await expect(stored).toBeVisible();
  }
  await start.click();
  await page.getByRole("button", { name: "Take a snapshot first" }).click();
  await expect(page.getByText("Started: A locked card")).toBeVisible();
  await expect(page.locator(verdict)).toHaveText("The card is locked for good.");
  // There is nothing to lose, so there is no question.
  await page.getByRole("button", { name: /^Restore: before-\d{14}$/ }).click();
  await expect(stored).toBeVisible();
  await start.click();
  await page.getByRole("button", { name: "Delete all receipts (3)" }).click();
  await expect(page.locator(verdict)).toHaveText("The card is locked for good.");
});

test("a snapshot is saved to a file and loaded from it", async ({ page, till, folder }) => {
  await till.pin();
  await till.sell();
  await open(page, till, "card");
  await page.getByLabel("Name of a snapshot").fill("one");
  await page.getByRole("button", { name: "Take a snapshot" }).click();
  const download = await savedBy(page.getByRole("button", { name: "Save to a file: one" }));
  expect(download.suggestedFilename()).toBe("one.tillseal-snapshot");
  const file = join(folder, "my day (1).tillseal-snapshot");
  await download.saveAs(file);
  await page.getByLabel("Load a snapshot from a file").setInputFiles(file);
  await expect(page.getByRole("button", { name: "Restore: my-day-1-" })).toBeVisible();
  writeFileSync(file, "hello");
  await page.getByLabel("Load a snapshot from a file").setInputFiles(file);
  await expect(page.getByText("This is not a snapshot: it cannot be unpacked")).toBeVisible();
});

test("a snapshot restores everything", async ({ page, till }) => {
  await till.pin();
  await open(page, till, "card");
  await page.getByLabel("Name of a snapshot").fill("before");
  await page.getByRole("button", { name: "Take a snapshot" }).click();
  await expect(page.getByRole("button", { name: "Restore: before", exact: true })).toBeVisible();
  await till.sell();
  await expect(page.getByText("Stored: 1 signed")).toBeVisible();
  await page.getByRole("button", { name: "Restore: before", exact: true }).click();
  await page.getByRole("button", { name: "Delete all receipts (1)" }).click();
  await expect(page.getByText("Stored: 0 signed")).toBeVisible();
  expect(await till.sell()).toMatchObject({ totalCounter: 1 });
});

test("stored data is erased only after a person has agreed", async ({ page, folder, start }) => {
  const till = await start(["--data-dir", folder]);
  await till.pin();
  await till.sell();
  await open(page, till, "card");
  await expect(page.getByText("Stored: 1 signed")).toBeVisible();
  await page.getByRole("button", { name: "Back to the start" }).click();
  const question = page.getByRole("dialog", { name: "Delete all receipts (1)?" });
  await expect(question).toContainText(`They are kept in ${folder}.`);
  await question.getByRole("button", { name: "Back", exact: true }).click();
  expect(await till.sell()).toMatchObject({ totalCounter: 2 });
  await page.getByRole("button", { name: "As the service was started" }).click();
  await page.getByRole("button", { name: "Delete all receipts (2)" }).click();
  // The emulator starts again, and waits for its authority.
  await expect(page.getByText("Stored: 0 signed")).toBeVisible();
});

async function snapshotOf({ control }: Till): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${control}/snapshots/one/file`)).arrayBuffer());
}

/** The step that each button does, in a world after a PIN and sales of 100. */
const BUTTONS: readonly (readonly [name: string, step: WorldStep])[] = [
  ["One attempt less", { card: { patch: { pinTriesLeft: 4 } } }],
  ["Last attempt", { card: { patch: { pinTriesLeft: 1 } } }],
  ["Lock", { card: { patch: { locked: true } } }],
  ["Unlock", { card: { patch: { locked: false } } }],
  ["To 75 %", { card: { patch: { sum: "7500000.0000" } } }],
  ["To the limit", { card: { patch: { sum: "10000000" } } }],
  ["Switch off", { card: { patch: { disabled: true } } }],
  ["Switch on", { card: { patch: { disabled: false } } }],
  ["−1 hour", { clock: { advance: "-1h" } }],
  ["+1 hour", { clock: { advance: "1h" } }],
  ["+1 day", { clock: { advance: "1d" } }],
  ["Stop the clock", { clock: { ticking: false } }],
  ["Start the clock", { clock: { ticking: true } }],
  ["Reset", { card: "reset" }],
  ["Remove", { card: "remove" }],
  ["Insert", { card: "insert" }],
  ["Unplug the reader", { card: "unplug" }],
  ["Plug the reader in", { card: "plug" }],
  ["Restart the service", { service: "restart" }],
  ["Kill and restart", { service: "kill" }],
];

test("every button does the step that its label says", async ({ page, till }) => {
  await till.pin();
  await till.sell();
  await open(page, till, "card");
  for (const [name, step] of BUTTONS) {
    const asked = page.waitForResponse((response) => response.url() === `${till.control}/do`);
    await page.getByRole("button", { name, exact: true }).click();
    const response = await asked;
    expect({ name, ok: response.ok(), step: response.request().postDataJSON() }).toEqual({ name, ok: true, step });
    await expect(page.locator(".panels")).toHaveAttribute("aria-busy", "false");
  }
});

test("an audit is run in one step or in two, and values are set", async ({ page, till }) => {
  await till.pin();
  await till.sell();
  await open(page, till, "card");
  const audit = page.locator(".panel").filter({ has: page.getByRole("button", { name: "Start an audit" }) });
  await audit.getByRole("button", { name: "Start an audit" }).click();
  await expect(page.locator(".panels")).toHaveAttribute("aria-busy", "false");
  await audit.getByRole("button", { name: "End the audit" }).click();
  await expect(audit.getByRole("textbox", { name: "Sum" })).toHaveValue("0");
  await audit.getByRole("textbox", { name: "Limit" }).fill("500.5");
  await audit.getByRole("button", { name: "Set: Limit" }).click();
  await expect(page.locator(".till-state")).toContainText("0.00 / 500.50");
  await audit.getByText("Counters").click();
  await audit.getByLabel("NS", { exact: true }).fill("41");
  await audit.getByRole("button", { name: "Set: NS" }).click();
  await expect(page.locator(".panels")).toHaveAttribute("aria-busy", "false");
  expect(await till.sell()).toMatchObject({ transactionTypeCounter: 42 });
});

test.describe("with a second card", () => {
  test.use({ flags: ["--scenario", "card/swapped"] });
  test("every endpoint of the control interface has its place on the pages", async ({ page, till }) => {
    const called = new Set<string>();
    const templates = CONTROL_ENDPOINTS.map(({ name, method, path }) => ({
      name,
      method: method as string,
      pattern: new RegExp(`^${CONTROL_PREFIX}${path.replaceAll(/:\w+/g, "[^/]+")}$`),
    }));
    page.on("response", (response) => {
      if (!response.ok() || !response.url().startsWith(till.control)) return;
      const { pathname } = new URL(response.url());
      const method = response.request().method();
      const match = templates.find((endpoint) => endpoint.method === method && endpoint.pattern.test(pathname));
      if (match) called.add(match.name);
    });
    await open(page, till, "card");
    const click = async (name: string | RegExp) => {
      await page
        .getByRole("button", { name, exact: typeof name === "string" })
        .first()
        .click();
      await expect(page.locator(".panels")).toHaveAttribute("aria-busy", "false");
    };
    for (const name of ["Remove", "Insert", "Reset", /^Swap for/, "Unplug the reader", "Plug the reader in"])
      await click(name);
    for (const name of [
      "One attempt less",
      "To 75 %",
      "+1 hour",
      "Add the fault",
      /^Remove: /,
      "Add the fault",
      "Remove all",
    ])
      await click(name);
    await page.getByLabel("Name of a snapshot").fill("one");
    for (const name of ["Take a snapshot", "Save to a file: one", "Restore: one"]) await click(name);
    const file = { name: "one.tillseal-snapshot", mimeType: "application/gzip", buffer: await snapshotOf(till) };
    await page.getByLabel("Load a snapshot from a file").setInputFiles(file);
    for (const name of ["Restart the service", "Kill and restart", "Send enable directive"]) await click(name);
    await till.pin().catch(() => undefined);
    for (const name of ["Audit", "Back to the start", /^Start: A locked card/]) await click(name);
    await open(page, till, "traffic");
    await savedBy(page.getByRole("button", { name: "Save as scenario" }));
    await page.getByRole("button", { name: "Clear list and recording" }).click();
    // The authority has the page Audit and its own pages, the rehearsal has its page. Only tests search requests.
    // The files of the online service are named at the start. Only programs read the description of the interface.
    const elsewhere: readonly string[] = [
      "authority",
      "vsdc",
      "vsdcPfx",
      "vsdcPem",
      "vsdcCa",
      "findRequests",
      "rehearsal",
      "newRehearsal",
      "putSituation",
      "openapi",
    ];
    const missing = () => CONTROL_ENDPOINTS.map(({ name }) => name).filter((name) => !called.has(name));
    await expect.poll(missing).toEqual(elsewhere);
  });
});
