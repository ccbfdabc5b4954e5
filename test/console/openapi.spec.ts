/** The interface's page works under its own policy, on large and small screens. */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "./till.js";

test("the page of the interface leads to operations and schemas without a script", async ({ page, till }) => {
  await page.goto(`${till.url}/openapi`);
  const contents = page.getByRole("navigation", { name: "Contents" });
  await contents.getByRole("link", { name: "GET /api/v3/attention" }).click();
  await page.locator("main > section").first().getByRole("link", { name: "Error" }).first().click();
  await expect(page.getByRole("heading", { name: "Error", exact: true })).toBeInViewport();
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
