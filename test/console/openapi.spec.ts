/** The search on the interface's page works under the page's own policy, on large and small screens. */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "./till.js";

test("the page of the interface finds an operation without a script, and links to those that the search hides", async ({
  page,
  till,
}) => {
  await page.goto(`${till.url}/openapi`);
  const contents = page.getByRole("navigation", { name: "Contents" });
  await page.getByRole("searchbox", { name: "Search" }).fill("attention");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(contents.getByRole("link", { name: "GET /api/v3/attention" })).toBeVisible();
  await expect(contents.getByRole("link", { name: "POST /api/v3/pin" })).toHaveCount(0);
  await page.locator("main > section").first().getByRole("link", { name: "Error" }).first().click();
  await expect(page.getByRole("heading", { name: "Error", exact: true })).toBeInViewport();
  await expect(contents.getByRole("link", { name: "POST /api/v3/pin" })).toHaveCount(1);
  for (const [width, colorScheme] of [
    [1280, "light"],
    [390, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  }
});
