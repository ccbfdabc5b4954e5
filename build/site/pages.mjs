/** The pages of the site: those of the repository, at shorter addresses, with links that fit. This file does no input or output. */
import { posix } from "node:path";

const LINK = /(!?)\[([^\]]*)\]\(([^)\s]*)\)/g;
const HTML_IMAGE = /(<img [^>]*src=")([^"]*)(")/g;
/** Files that readers copy or that programs read. */
const COPIED = /\.(ya?ml|json|txt|png|svg)$/;
/** Pages about the repository itself, and pages that a package shows. */
const LEFT_OUT = /^(\.github|build|deploy|test)\//;

/** docs/security.md has the other name, for file systems that do not tell the case of letters apart. */
const RENAMED = { "docs/README.md": "all.md", "SECURITY.md": "vulnerabilities.md" };

/** @param path in the repository @returns its place in the site; undefined if the site does not have it */
export function placeOf(path) {
  if (LEFT_OUT.test(path) && !COPIED.test(path)) return undefined;
  if (path in RENAMED) return RENAMED[path];
  if (path.endsWith(".md")) return path.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
  return COPIED.test(path) ? path.replace(/^docs\//, "") : undefined;
}

/**
 * A page with the links of the site. A link to a file that the site does not have leads to the repository, or becomes plain text
 * while the repository's address is not known.
 * @param path of the page in the repository
 * @param repository address; may be empty
 * @param linked called with the path of each file that is not a page and that the page links to or shows
 */
export function sitePage(text, path, repository, linked) {
  const place = placeOf(path);
  const within = (file) => {
    const target = posix.join(posix.dirname(path), file);
    const there = placeOf(target);
    if (there !== undefined && !there.endsWith(".md")) linked(target);
    return { target, there: there === undefined ? undefined : relative(place, there) };
  };
  return text
    .replaceAll(LINK, (link, image, label, address) => {
      if (/^(\w+:|#)/.test(address)) return link;
      const [file, heading] = address.split("#");
      const { target, there } = within(file);
      if (there !== undefined) return `${image}[${label}](${there}${heading === undefined ? "" : `#${heading}`})`;
      return repository === "" ? label : `[${label}](${repository}/blob/main/${target})`;
    })
    .replaceAll(HTML_IMAGE, (_, before, file, after) => `${before}${within(file).there}${after}`);
}

function relative(from, to) {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/** The list beside each page: the tables of docs/README.md. @returns items as VitePress has them */
export function sidebarOf(index) {
  const groups = [];
  for (const line of index.split("\n")) {
    const heading = /^## (.*)$/.exec(line)?.[1];
    if (heading !== undefined) groups.push({ text: heading, collapsed: true, items: [] });
    const cell = /^\| (\[.*?) \|/.exec(line)?.[1] ?? "";
    for (const [, , text, address] of cell.matchAll(LINK)) {
      const place = placeOf(posix.join("docs", address.split("#")[0]));
      if (place?.endsWith(".md")) groups.at(-1)?.items.push({ text, link: `/${place.replace(/(index)?\.md$/, "")}` });
    }
  }
  return groups.filter(({ items }) => items.length > 0);
}

/** The anchor of a heading, as GitHub makes it, because the links in the pages are written for GitHub. */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}
