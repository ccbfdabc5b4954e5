/** deploy/shop-pages.mjs, which has no types. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

interface ShopPages {
  readonly SHOP_PAGES: readonly string[];
  shippedText(text: string, path: string, places: ReadonlyMap<string, string>, to?: string): string;
  withoutMissing(text: string, path: string, places: ReadonlyMap<string, string>): string;
  writeShopPages(root: string, stage: string): void;
  deadLinks(text: string, path: string, exists: (path: string) => boolean): string[];
}

export const { SHOP_PAGES, shippedText, withoutMissing, writeShopPages, deadLinks } = (await import(
  pathToFileURL(join(PACKAGE_ROOT, "deploy", "shop-pages.mjs")).href
)) as ShopPages;
