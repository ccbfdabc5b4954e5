/**
 * `node deploy/debian/build.mjs [--shop TARBALL] [--only ARCHITECTURE] [--fast] [FOLDER]`: tillseal_VERSION_amd64.deb and
 * tillseal_VERSION_arm64.deb into FOLDER (default: out/), from the package for shops, which it makes if you name no TARBALL.
 * Node is inside. Runs on any architecture: nothing is compiled. `--fast` compresses little, for tests. Needs dpkg-deb, and
 * npm's registry.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { makeApp } from "../app.mjs";
import { commitTime } from "../commit-time.mjs";
import { licenceTexts } from "../licence-texts.mjs";
import { nodePackage } from "../node-binary.mjs";
import { PUBLISHER } from "../publisher.mjs";
import { SHOP_PAGES, shippedText } from "../shop-pages.mjs";

const here = import.meta.dirname;
const root = join(here, "..", "..");
const { values, positionals } = parseArgs({
  options: { shop: { type: "string" }, fast: { type: "boolean" }, only: { type: "string" } },
  allowPositionals: true,
});
const out = resolve(positionals[0] ?? join(root, "out"));

/** Debian's names of architectures, and npm's. */
const ARCHITECTURES = { amd64: "x64", arm64: "arm64" };
const MAINTAINER_SCRIPTS = ["preinst", "postinst", "prerm", "postrm"];

mkdirSync(out, { recursive: true });
const stage = mkdtempSync(join(out, "debian-"));
// The folders in the packages get these permissions, so everyone must be able to read them.
chmodSync(stage, 0o755);
process.umask(0o022);
try {
  const shop = values.shop === undefined ? makeShopPackage() : resolve(values.shop);
  for (const [architecture, cpu] of Object.entries(ARCHITECTURES)) {
    if (values.only !== undefined && values.only !== architecture) continue;
    const file = makeDeb(architecture, cpu, shop);
    console.log(`${file}: ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB`);
  }
} finally {
  rmSync(stage, { recursive: true, force: true });
}

function makeShopPackage() {
  const folder = join(stage, "shop");
  execFileSync(process.execPath, [join(root, "deploy", "production-package.mjs"), folder], { stdio: "inherit" });
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".tgz")),
  );
}

function makeDeb(architecture, cpu, shop) {
  const tree = join(stage, architecture);
  const lib = join(tree, "usr", "lib", "tillseal");
  const app = join(lib, "app");
  const nodeName = `node-linux-${cpu}`;
  const platform = { os: "linux", cpu, libc: "glibc" };
  const { version, sbom } = makeApp(app, shop, `tillseal-debian-${architecture}`, platform, nodeName);
  // Debian sorts 1.0.0~rc.1 before 1.0.0, like npm with 1.0.0-rc.1.
  const debianVersion = version.replace("-", "~");

  const node = nodePackage(nodeName);
  put(join(node, "bin", "node"), join(lib, "bin", "node"), 0o755);
  const doc = join(tree, "usr", "share", "doc", "tillseal");
  writeDocs(doc, app, debianVersion, readFileSync(join(node, "LICENSE"), "utf8"));
  write(join(doc, "sbom.cdx.json"), `${JSON.stringify(sbom, null, 2)}\n`);
  rmSync(dirname(node), { recursive: true });

  // The packaged Node starts cli.js, so the file needs no `#!` line and is not executable.
  const cli = join(app, "dist", "src", "cli.js");
  writeFileSync(cli, readFileSync(cli, "utf8").replace(/^#!.*\n/, ""));
  chmodSync(cli, 0o644);
  put(join(here, "tillseal"), join(tree, "usr", "bin", "tillseal"), 0o755);
  put(join(root, "deploy", "polkit", "50-tillseal.rules"), join(tree, "usr/share/polkit-1/rules.d/50-tillseal.rules"));
  write(join(tree, "usr/lib/systemd/system/tillseal.service"), unit());
  write(join(tree, "usr/share/man/man1/tillseal.1.gz"), zipped(readFileSync(join(here, "tillseal.1"))));
  put(join(here, "lintian-overrides"), join(tree, "usr/share/lintian/overrides/tillseal"));

  writeControl(tree, architecture, debianVersion);
  // GitHub turns the ~ of a file's name into a point.
  const file = join(out, `tillseal_${debianVersion.replace("~", ".")}_${architecture}.deb`);
  execFileSync(
    "dpkg-deb",
    ["--root-owner-group", ...(values.fast ? ["-Zgzip", "-z1"] : ["-Zxz"]), "--build", tree, file],
    {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, SOURCE_DATE_EPOCH: String(commitTime()) },
    },
  );
  rmSync(tree, { recursive: true });
  return file;
}

/** Moves the pages for shops to Debian's documentation folder, and adds changelogs, copyright and licences. */
function writeDocs(doc, app, version, nodeLicence) {
  const places = new Map(SHOP_PAGES.map((name) => [`docs/${name}`, name]));
  const page = (path, to) => shippedText(readFileSync(join(app, path), "utf8"), path, places, to);
  for (const name of SHOP_PAGES) write(join(doc, name), page(`docs/${name}`, name));
  write(join(doc, "changelog.gz"), zipped(page("CHANGELOG.md", "changelog")));
  for (const name of ["docs", "deploy", "README.md", "LICENSE", "CHANGELOG.md"])
    rmSync(join(app, name), { recursive: true });
  const date = execFileSync("date", ["-R", "-u", "-d", `@${commitTime()}`], { encoding: "utf8" }).trim();
  const entry = `tillseal (${version}) stable; urgency=medium\n\n  * See changelog.gz.\n\n -- ${maintainer()}  ${date}\n`;
  write(join(doc, "changelog.Debian.gz"), zipped(entry));
  put(join(here, "copyright"), join(doc, "copyright"));
  write(join(doc, "third-party-licences.txt.gz"), zipped(licenceTexts(app, nodeLicence)));
}

/** The systemd unit in deploy/systemd, with the paths of this package. */
function unit() {
  const text = readFileSync(join(root, "deploy", "systemd", "tillseal.service"), "utf8");
  const replaced = text
    .replace(
      "ExecStart=/opt/tillseal/dist/src/cli.js",
      "ExecStart=/usr/lib/tillseal/bin/node /usr/lib/tillseal/app/dist/src/cli.js",
    )
    .replace("/opt/tillseal/docs/", "/usr/share/doc/tillseal/");
  if (replaced.includes("/opt/")) throw new Error("the unit names a path in /opt");
  return replaced;
}

function writeControl(tree, architecture, version) {
  const files = readdirSync(tree, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  const kibibytes = paths.reduce((sum, path) => sum + Math.ceil(statSync(path).size / 1024), 0);
  const control = join(tree, "DEBIAN");
  write(
    join(control, "control"),
    readFileSync(join(here, "control"), "utf8")
      .replace("@MAINTAINER@", maintainer())
      .replace("@VERSION@", version)
      .replace("@ARCHITECTURE@", architecture)
      .replace("@SIZE@", String(kibibytes))
      .replace("@HOMEPAGE@", PUBLISHER.homepage === "" ? "" : `Homepage: ${PUBLISHER.homepage}\n`),
  );
  const sums = execFileSync(
    "md5sum",
    paths.map((path) => path.slice(tree.length + 1)),
    { cwd: tree, encoding: "utf8", maxBuffer: 2 ** 28 },
  );
  write(join(control, "md5sums"), sums);
  for (const name of MAINTAINER_SCRIPTS) put(join(here, name), join(control, name), 0o755);
}

/** Debian's tools refuse a package without a maintainer. Mail to the domain `invalid` reaches no one. */
function maintainer() {
  return PUBLISHER.debianMaintainer || "tillseal maintainers <maintainers@tillseal.invalid>";
}

function put(from, to, mode = 0o644) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
  chmodSync(to, mode);
}

function write(to, content) {
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, content, { mode: 0o644 });
}

/** Compresses without a timestamp, so that the same content gives the same bytes. */
function zipped(content) {
  return gzipSync(content, { level: 9 });
}
