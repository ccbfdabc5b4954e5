/** The documentation agrees with the source. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { ownCodes } from "../src/state/status-codes.js";
import { tillseal } from "./support/command.js";

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(PACKAGE_ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
  ...readdirSync(join(PACKAGE_ROOT, "clients"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("clients", name)),
];

it("documentation has the tables of codes, endpoints, settings and profiles that the source defines", () => {
  const generate = join(PACKAGE_ROOT, "dist", "build", "docs", "generate.js");
  expect(execFileSync(process.execPath, [generate, "--check"]).toString()).toBe("");
});

it.each(PAGES)("documentation has only working links: %s", (page) => {
  const text = readFileSync(join(PACKAGE_ROOT, page), "utf8");
  for (const [, target = ""] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
    if (!target.includes("://")) expect(existsSync(join(PACKAGE_ROOT, dirname(page), target)), target).toBe(true);
  }
});

it.each(PAGES)("documentation names only files that exist: %s", (page) => {
  const text = readFileSync(join(PACKAGE_ROOT, page), "utf8");
  const named = [...text.matchAll(/`((?:src|emulator|test|build|fixtures|deploy)\/[\w./-]+)`/g)].map(
    ([, file = ""]) => file,
  );
  expect(named.filter((file) => !file.includes("...") && !existsSync(join(PACKAGE_ROOT, file)))).toEqual([]);
});

it.each(PAGES)("documentation speaks of the published package: %s", (page) => {
  expect(readFileSync(join(PACKAGE_ROOT, page), "utf8")).not.toMatch(/in no package registry|\bnpm pack\b/);
});

it("documentation has every page in the index", () => {
  const index = readFileSync(join(PACKAGE_ROOT, "docs", "README.md"), "utf8");
  const pages = readdirSync(join(PACKAGE_ROOT, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});

it("documentation names the folders on Windows that the setup makes", () => {
  const page = readFileSync(join(PACKAGE_ROOT, "docs", "shop.md"), "utf8");
  const setup = readFileSync(join(PACKAGE_ROOT, "deploy", "windows", "tillseal.nsi"), "utf8");
  expect(setup).toContain('InstallDir "$PROGRAMFILES64\\tillseal"');
  expect(page).toContain("C:\\Program Files\\tillseal");
  const named = [...page.matchAll(/`C:\\Program Files\\tillseal\\windows\\([\w.]+)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(1);
  const there = readdirSync(join(PACKAGE_ROOT, "deploy", "windows", "installed"));
  expect(there).toEqual(expect.arrayContaining(named));
});

it("documentation allows POS programs on the network through the unit's firewall", () => {
  const shop = readFileSync(join(PACKAGE_ROOT, "docs", "shop.md"), "utf8");
  const unit = readFileSync(join(PACKAGE_ROOT, "deploy", "systemd", "tillseal.service"), "utf8");
  expect([unit, shop]).toEqual([
    expect.stringContaining("IPAddressDeny=any"),
    expect.stringMatching(/^IPAddressAllow=\d/m),
  ]);
});

it("documentation has no core dumps in the unit, because a dump of the process would hold the PIN", () => {
  expect(readFileSync(join(PACKAGE_ROOT, "deploy", "systemd", "tillseal.service"), "utf8")).toMatch(/^LimitCORE=0$/m);
});

it("documentation names only tests that exist on the page about security", () => {
  const text = readFileSync(join(PACKAGE_ROOT, "docs", "security.md"), "utf8");
  const tests = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file);
  expect(tests.length).toBeGreaterThan(20);
  expect(tests.filter((file) => !existsSync(join(PACKAGE_ROOT, file)))).toEqual([]);
  // Each row of the tables about threats ends with its test.
  const rows = text
    .split(/(?=\n#+ )/)
    .flatMap((part) => /\| Threat [\s\S]*?\n\n/.exec(part)?.[0].trim().split("\n").slice(2) ?? []);
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !/`test\/[^|]*\|$/.test(row))).toEqual([]);
});

it("documentation says on one page what each code in mssc means for a shop, and what to do", () => {
  const text = readFileSync(join(PACKAGE_ROOT, "docs", "tax-authority.md"), "utf8");
  const missing = ownCodes().filter(({ code }) => !new RegExp(`(\\| |Code )${code}[ .]`).test(text));
  expect(missing).toEqual([]);
});

it("documentation lists every command", async () => {
  const page = readFileSync(join(PACKAGE_ROOT, "docs", "commands.md"), "utf8");
  const { stdout } = await tillseal(["--help"]);
  const commands = [...stdout.matchAll(/^ {2}([a-z-]+) .*$/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help");
  expect(commands.length).toBeGreaterThan(3);
  for (const name of commands) expect(page).toContain(`\`tillseal ${name}`);
});
