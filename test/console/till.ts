/** A till for each test: the built command on free ports, with a browser in front of it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { test as base, type Download, expect, type Locator, type Page } from "@playwright/test";
import { environmentWith } from "../support/environment.js";
import { sale } from "../support/sale.js";

export { expect };

const ROOT = join(import.meta.dirname, "..", "..");
export const CLI = join(ROOT, "dist", "src", "cli.js");

export interface Till {
  readonly url: string;
  readonly control: string;
  readonly process: ChildProcess;
  /** A sale as a POS sends it. @returns the service's answer */
  sell(overrides?: object, headers?: Record<string, string>): Promise<Record<string, unknown>>;
  pin(digits?: string): Promise<void>;
  act(method: string, path: string, body?: unknown): Promise<void>;
}

export interface Fixtures {
  /** Flags of `tillseal serve`. */
  readonly flags: readonly string[];
  /** Empty, and deleted after the test. */
  readonly folder: string;
  readonly start: Start;
  /** Without flags: the one that the tests of a worker share, as it was when it started. */
  readonly till: Till;
}

/** What the tests of a worker share. A start costs ten times as much processor time as the way back to the start. */
export interface Shared {
  readonly shared: Till;
}

/** Starts a till that ends with the test. @param port flags for its port; default: a free one */
export type Start = (flags: readonly string[], port?: readonly string[]) => Promise<Till>;

export const test = base.extend<Fixtures, Shared>({
  flags: [[], { option: true }],
  // biome-ignore lint/correctness/noEmptyPattern: what the test runner asks for
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "tillseal-test-"));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  // A till may keep its data in the folder, so it ends before the folder is deleted.
  start: async ({ folder: _ }, use) => {
    const tills: Till[] = [];
    await use(async (flags, port = ["--port", "0"]) => {
      const till = await startTill([...port, ...flags]);
      tills.push(till);
      return till;
    });
    for (const till of tills) await endTill(till);
  },
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: what the test runner asks for
    async ({}, use) => {
      const till = await startTill(["--port", "0"]);
      await use(till);
      await endTill(till);
    },
    { scope: "worker" },
  ],
  till: async ({ start, flags, shared }, use) => {
    if (flags.length > 0) return use(await start(flags));
    await shared.act("POST", "/reset", { toFirst: true });
    // A reset begins a new span only: the judge remembers what the tests before have sent.
    await shared.act("DELETE", "/rehearsal");
    await use(shared);
  },
});

/** Flags for a till that starts from this `given`, YAML. @param more flags */
export const scenarioFlags =
  (given: string, ...more: readonly string[]) =>
  async ({ folder }: Pick<Fixtures, "folder">, use: (flags: readonly string[]) => Promise<void>): Promise<void> => {
    const scenario = join(folder, "scenario.yaml");
    writeFileSync(scenario, `given: ${given}\nsteps: []\n`);
    await use(["--scenario", scenario, ...more]);
  };

/** Leaves out a test whose program or font this machine lacks; run.mjs looks for them and names them at the end. */
export function needs(debianPackage: string): void {
  const missing = process.env.TILLSEAL_TEST_MISSING?.split(" ") ?? [];
  test.skip(missing.includes(debianPackage), `needs ${debianPackage}`);
}

async function startTill(flags: readonly string[]): Promise<Till> {
  const child = spawn(process.execPath, [CLI, "serve", "--control-port", "0", ...flags], {
    cwd: ROOT,
    env: environmentWith(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let greeting = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      greeting += chunk.toString();
      if (greeting.endsWith("\nready\n")) resolve();
    });
    child.once("exit", () => reject(new Error(`serve ended: ${greeting}`)));
  });
  const url = /console: (http:\S+)\//.exec(greeting)?.[1] ?? "";
  const control = /(http:\S+\/control) drives/.exec(greeting)?.[1] ?? "";
  const send = async (address: string, method: string, body: unknown, headers: Record<string, string> = {}) => {
    const json = { "Content-Type": "application/json", ...headers };
    const answer = await fetch(address, {
      method,
      headers: json,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${text}`);
    return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  };
  return {
    url,
    control,
    process: child,
    sell: (overrides = {}, headers = {}) =>
      send(`${url}/api/v3/invoices`, "POST", { ...sale(), ...overrides }, headers),
    pin: async (pin = "1234") => void (await send(`${url}/api/v3/pin`, "POST", { pin })),
    act: async (method, path, body) => void (await send(control + path, method, body)),
  };
}

/** Resolves when the process has ended, so that its folder can be deleted. */
export async function endTill({ process: child }: Till): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode === null && child.kill("SIGTERM")) await ended;
}

export async function open(page: Page, till: Till, name = "till"): Promise<void> {
  const faults: string[] = [];
  page.on("requestfailed", (request) => faults.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("pageerror", (error) => faults.push(error.stack ?? error.message));
  await page.goto(`${till.url}/#/${name}`);
  const content = page.locator("main > *").first();
  const isShown = await content.waitFor({ timeout: 15_000 }).then(
    () => true,
    () => false,
  );
  if (isShown) return expect(page.locator(".skeleton")).toHaveCount(0);
  // Another suite may have added a network interface: Chromium then ends requests, such as that for the script.
  process.stderr.write(`${name} stayed blank, and is loaded again: ${faults.join("; ") || "nothing failed"}\n`);
  await page.reload();
  await expect(content).toBeVisible();
}

export async function enterPin(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Enter the card's PIN." });
  await dialog.getByLabel("The card's PIN").fill("1234");
  await dialog.getByRole("button", { name: "Enter PIN" }).click();
}

/** @returns what a click on the button downloads */
export async function savedBy(button: Locator): Promise<Download> {
  const [download] = await Promise.all([button.page().waitForEvent("download"), button.click()]);
  return download;
}

/** Rules that depend on colours. In other colours, a page has the same answers to all others. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** The serious accessibility problems of the page, in light colours and in dark ones. */
export async function seriousInAllColours(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const light = await seriousOn(page);
  await page.emulateMedia({ colorScheme: "dark" });
  return [...light, ...(await seriousOn(page, COLOUR_RULES))];
}

/** The serious accessibility problems of the page. @param rules default: all */
export async function seriousOn(page: Page, rules?: string[]): Promise<string[]> {
  const builder = new AxeBuilder({ page });
  const { violations } = await (rules === undefined ? builder : builder.withRules(rules)).analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

/** Saves a download in the folder. @returns its bytes */
export async function bytesOf(download: Download, folder: string): Promise<Buffer> {
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return readFileSync(file);
}
