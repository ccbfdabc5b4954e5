/** The site in a browser: `npm run test:site`. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test as base, expect } from "@playwright/test";

const SITE = fileURLToPath(new URL("../../out/site", import.meta.url));
/** With the path for which run.mjs builds the site. */
const HOME = "http://site.test/tillseal";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** Runs in the browser. @returns 0 until the picture is loaded */
const widthOf = (image: unknown) => (image as { readonly naturalWidth: number }).naturalWidth;

/** A page whose requests are answered from the site's files. It names what asked another origin, was missing, or failed in the browser. */
const test = base.extend<{ faults: string[] }>({
  faults: [
    async ({ page }, use) => {
      const faults: string[] = [];
      page.on("pageerror", ({ message }) => faults.push(message));
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text());
      });
      await page.route("**/*", async (route) => {
        const { origin, pathname } = new URL(route.request().url());
        const path = decodeURIComponent(`${origin}${pathname}`.slice(HOME.length));
        const file = join(SITE, path.endsWith("/") ? `${path}index.html` : path);
        if (!`${origin}${pathname}`.startsWith(`${HOME}/`) || !existsSync(file) || !statSync(file).isFile()) {
          faults.push(`the site asks for ${route.request().url()}`);
          await route.abort();
          return;
        }
        const contentType = TYPES[extname(file)] ?? "application/octet-stream";
        await route.fulfill({ body: readFileSync(file), contentType });
      });
      await use(faults);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

test("begins with the README, and its links lead to the other pages", async ({ page }) => {
  await page.goto(`${HOME}/`);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("tillseal");
  await page.locator(".vp-doc").getByRole("link", { name: "docs/README.md" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("All pages");
});

test("finds a code, and leads to the place", async ({ page }) => {
  await page.goto(`${HOME}/`);
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.locator("#localsearch-input").fill("2210");
  const first = page.locator("#localsearch-list a").first();
  await expect(first).toBeVisible();
  await first.click();
  await expect(page.locator(".vp-doc")).toContainText("2210");
  expect(new URL(page.url()).hash).not.toBe("");
});

test("shows the pictures of the console", async ({ page }) => {
  await page.goto(`${HOME}/console.html`);
  const pictures = page.locator(".vp-doc img");
  await expect(pictures.first()).toBeVisible();
  for (const picture of await pictures.all()) await expect.poll(() => picture.evaluate(widthOf)).toBeGreaterThan(0);
});

test("draws the diagrams", async ({ page }) => {
  await page.goto(`${HOME}/architecture.html`);
  await expect(page.locator(".diagram svg").getByText("POS", { exact: true })).toBeVisible();
});

test("shows the interface in dark colours to a reader who prefers them", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${HOME}/api.html`);
  await expect(page.locator(".swagger-ui")).toHaveCSS("background-color", "rgb(28, 32, 34)");
});

test("shows the interface, and nothing can be tried there, because the service refuses another origin", async ({
  page,
}) => {
  await page.goto(`${HOME}/api.html`);
  const sale = page
    .locator("#operations-default-createInvoice, .opblock-post", { hasText: "/api/v3/invoices" })
    .first();
  await sale.click();
  await expect(sale.getByText("Responses", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Try it out" })).toHaveCount(0);
});
