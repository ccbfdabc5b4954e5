/** The documentation in the packages. The packages for Debian and Windows are made from the tarball and have its pages. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { howToInstall, whereToGet } from "./publisher.mjs";

/** Pages of docs/ that a shop or its technician needs on the machine itself. */
export const SHOP_PAGES = [
  "shop.md",
  "settings.md",
  "tax-authority.md",
  "console.md",
  "codes.md",
  "restore.md",
  "years.md",
  "bookkeeping.md",
  "interface.md",
  "health.md",
  "commands.md",
];

const LINK = /(!?)\[([^\]]*)\]\(([^)\s]*)\)/g;
/** Places of the pages in the package, by their paths in the repository. */
const IN_TARBALL = new Map(["CHANGELOG.md", ...SHOP_PAGES.map((name) => `docs/${name}`)].map((path) => [path, path]));

/**
 * A page for a package. Links to pages that are not in the package become plain text.
 * @param path of the page in the repository
 * @param places paths in the package by paths in the repository
 * @param to path of the page in the package
 */
export function shippedText(text, path, places = IN_TARBALL, to = path) {
  return text.replaceAll(LINK, (link, image, label, target) => {
    if (/^(\w+:|#)/.test(target)) return link;
    const [file, heading] = target.split("#");
    const place = places.get(posix.join(posix.dirname(path), file));
    if (place === undefined) return label;
    return `${image}[${label}](${posix.relative(posix.dirname(to), place)}${heading === undefined ? "" : `#${heading}`})`;
  });
}

/** Writes README.md, CHANGELOG.md and docs/ of the tarball. @param root the repository */
export function writeShopPages(root, stage) {
  const page = (path, to = path) => {
    const text = shippedText(readFileSync(join(root, path), "utf8"), path, IN_TARBALL, to);
    mkdirSync(dirname(join(stage, to)), { recursive: true });
    writeFileSync(join(stage, to), text);
  };
  for (const path of IN_TARBALL.keys()) page(path);
  page("docs/shop.md", "README.md");
}

/** Writes README.md of the package for npm, and adapts the links of all copied pages. @param stage has everything but README.md */
export function writeNpmPages(root, stage, version) {
  const files = readdirSync(stage, { recursive: true }).map((path) => path.replaceAll("\\", "/"));
  const places = new Map(files.map((path) => [path, path]));
  for (const path of files.filter((name) => name.endsWith(".md") || name === "docs/llms.txt")) {
    const page = join(stage, path);
    writeFileSync(page, shippedText(withoutMissing(readFileSync(page, "utf8"), path, places), path, places));
  }
  const readme = readFileSync(join(root, "deploy", "npm-readme.md"), "utf8")
    .replace("@INSTALL@", howToInstall(version, true))
    .replace("@WHERE@", whereToGet(version));
  writeFileSync(join(stage, "README.md"), shippedText(readme, "deploy/npm-readme.md", places, "README.md"));
}

/** The two lists of all pages, without those that are not in the package. @returns other pages unchanged */
export function withoutMissing(text, path, places) {
  if (path !== "docs/README.md" && path !== "docs/llms.txt") return text;
  return text
    .replaceAll(/^(?:\||-) \[[^\]]*\]\(([^)#\s]*).*\n/gm, (line, target) =>
      places.has(posix.join("docs", target)) ? line : "",
    )
    .replace(/\n## .*\n\n(?:\| Page .*\n\| --- .*\n)?$/, "");
}

/** Broken relative links of a page. @param exists returns whether a path is in the package */
export function deadLinks(text, path, exists) {
  return [...text.matchAll(LINK)]
    .map(([, , , target]) => target.split("#")[0])
    .filter((file) => file !== "" && !/^\w+:/.test(file) && !exists(posix.join(posix.dirname(path), file)));
}
