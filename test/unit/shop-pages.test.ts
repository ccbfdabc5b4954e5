/** The documentation in the packages for shops. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { temporaryFolder } from "../support/folder.js";
import { deadLinks, SHOP_PAGES, shippedText, withoutMissing, writeShopPages } from "../support/shop-pages.js";

it("a package keeps links to pages of the package, and turns the others into text", () => {
  const places = new Map([
    ["docs/shop.md", "shop.md"],
    ["docs/years.md", "years.md"],
  ]);
  const shipped = (text: string) => shippedText(text, "docs/shop.md", places, "shop.md");
  expect(shipped("[a](years.md#b) [c](#d) [e](https://example.com/f)")).toBe(
    "[a](years.md#b) [c](#d) [e](https://example.com/f)",
  );
  expect(shipped("[reasons](decisions/0028.md), ![Till](pictures/till.png)")).toBe("reasons, Till");
});

it("a package gives the packages pages without dead links, with everything that a shop needs when it cannot sell", () => {
  const stage = temporaryFolder();
  writeShopPages(PACKAGE_ROOT, stage);
  const pages = readdirSync(stage, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md"));
  expect(pages).toEqual(expect.arrayContaining(["README.md", "CHANGELOG.md", "docs/codes.md", "docs/restore.md"]));
  expect(pages).toHaveLength(SHOP_PAGES.length + 2);
  const dead = pages.flatMap((page) =>
    deadLinks(readFileSync(join(stage, page), "utf8"), page, (path) => existsSync(join(stage, path))),
  );
  expect(dead).toEqual([]);
});

it("a package lists only the pages that it has", () => {
  const places = new Map(["docs/codes.md", "clients/README.md"].map((path) => [path, path]));
  const list = (text: string) => withoutMissing(text, "docs/README.md", places);
  const head = "# All pages\n\n| Page | What it has |\n| --- | --- |\n";
  const kept = "| [Codes](codes.md#all) | every code |\n| [Clients](../clients/README.md) | files |\n";
  const last =
    "\n## Change tillseal\n\n| Page | What it has |\n| --- | --- |\n| [Decisions](decisions/README.md) | why |\n";
  expect(list(`${head}${kept}| [Torture](torture.md) | kills |\n${last}`)).toBe(`${head}${kept}`);
  expect(withoutMissing(last, "docs/shop.md", places)).toBe(last);
  expect(withoutMissing("- [Codes](codes.md): all\n- [Torture](torture.md): kills\n", "docs/llms.txt", places)).toBe(
    "- [Codes](codes.md): all\n",
  );
});

it("a package ships every page of docs/ that the shop's page links to, except the decisions", () => {
  const page = readFileSync(join(PACKAGE_ROOT, "docs", "shop.md"), "utf8");
  const shipped = new Set(SHOP_PAGES);
  expect(deadLinks(page, "shop.md", (path) => shipped.has(path) || path.startsWith("decisions/"))).toEqual([]);
});
