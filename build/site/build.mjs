/**
 * `npm run site [-- BASE]`: makes the documentation into a site, in out/site. It installs its tools into build/site/node_modules first, if
 * they are missing. A dead link, or a link to a missing heading, fails. BASE is the path on the server, such as /tillseal/; default: the
 * path of `homepage` in deploy/publisher.json.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { npm } from "../../deploy/npm.mjs";
import { PUBLISHER } from "../../deploy/publisher.mjs";
import { ROOT } from "../../deploy/stage.mjs";
import { buildIfChanged } from "../build.mjs";
import { placeOf, sidebarOf, sitePage } from "./pages.mjs";

const SITE = join(ROOT, "build", "site");
const PAGES = join(SITE, "pages");
const OUT = join(ROOT, "out", "site");
/** With a slash at both ends. */
const BASE =
  process.argv[2] ?? (PUBLISHER.homepage === "" ? "/" : `${new URL(PUBLISHER.homepage).pathname.replace(/\/$/, "")}/`);
/** The emulator's settings when nothing is set. */
const SETTINGS = { answerForm: "specification", negativeItems: false, requestIdLength: 36 };

if (!existsSync(join(SITE, "node_modules")))
  npm(["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: SITE, stdio: "inherit" });
buildIfChanged();
rmSync(PAGES, { recursive: true, force: true });
const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
}).split("\0");
const linked = new Set(["docs/llms.txt"]);
for (const path of files.filter((name) => name.endsWith(".md") && placeOf(name) !== undefined))
  write(placeOf(path), sitePage(readFileSync(join(ROOT, path), "utf8"), path, PUBLISHER.repository, linkTo));
for (const path of linked) {
  // Vite takes the pictures that a page shows from beside the pages; linked files keep their names in public/.
  for (const folder of /\.(png|svg)$/.test(path) ? ["", "public"] : ["public"]) {
    const target = join(PAGES, folder, placeOf(path));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(ROOT, path), target);
  }
}
const { openApiDocument } = await import("../../dist/src/http/openapi.js");
write("public/openapi.json", JSON.stringify(openApiDocument(SETTINGS)));
write("api.md", readFileSync(join(SITE, "api.md"), "utf8"));
write("sidebar.json", JSON.stringify(sidebarOf(readFileSync(join(ROOT, "docs", "README.md"), "utf8"))));
execFileSync(process.execPath, [join(SITE, "node_modules", "vitepress", "bin", "vitepress.js"), "build", SITE], {
  stdio: "inherit",
  env: { ...process.env, SITE_BASE: BASE },
});
const faults = deadLinks();
if (faults.length > 0) throw new Error(`these links lead nowhere:\n${faults.join("\n")}`);

function linkTo(path) {
  if (!files.includes(path)) throw new Error(`a page links to ${path}, which does not exist`);
  linked.add(path);
}

function write(place, text) {
  const file = join(PAGES, place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** VitePress checks links between pages, but neither headings, nor files, nor links in HTML. @returns `page.html: address` */
function deadLinks() {
  const names = readdirSync(OUT, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  const texts = new Map(
    names.filter((name) => name.endsWith(".html")).map((name) => [name, readFileSync(join(OUT, name), "utf8")]),
  );
  const leadsSomewhere = (address, page) => {
    const { pathname, hash } = new URL(address, `http://site${BASE}${page}`);
    if (!pathname.startsWith(BASE)) return false;
    const file = decodeURIComponent(pathname.slice(BASE.length)).replace(/(^|\/)$/, "$1index.html");
    return (
      names.includes(file) && (hash === "" || texts.get(file)?.includes(`id="${decodeURIComponent(hash.slice(1))}"`))
    );
  };
  return [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/<(?:a|img) [^>]*(?:href|src)="([^"]+)"/g)]
      .map(([, address]) => address)
      .filter((address) => !/^\w+:/.test(address) && !leadsSomewhere(address, page))
      .map((address) => `${page}: ${address}`),
  );
}
