/** The commands in the documentation exist with their flags; those of the README run and answer as it says. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { makeProgram } from "../src/commands/program.js";
import { serve } from "./support/command.js";
import { mistakesIn, PAGES, shellBlocks } from "./support/documented.js";
import { environmentWith, HAS_CURL } from "./support/environment.js";

const run = promisify(execFile);
const read = (page: string) => readFileSync(join(PACKAGE_ROOT, page), "utf8");

/** Lines of a page's shell blocks, one command each. */
const shellLines = (page: string): string[] =>
  shellBlocks(page).flatMap(({ commands }) => commands.map((command) => command.replace(/\\\n\s*/g, " ")));

/** The arguments of tillseal on a command line; undefined when the line starts something else. */
function argumentsOf(line: string): string[] | undefined {
  const [, rest] = /^\s*(?:[A-Z_]+=\S+ )*(?:sudo )?(?:npx )?tillseal(?: (.*))?$/.exec(line) ?? [];
  return rest
    ?.replace(/\s*([|>#&].*)?$/, "")
    .split(/\s+/)
    .filter(Boolean);
}

/** Commands within a sentence or a table; `[--json]` is an optional flag. */
const inlineCommands = (page: string): string[] =>
  [...read(page).matchAll(/`((?:npx )?tillseal [a-z][^`\n]*)`/g)].map(([, text = ""]) =>
    text.replace(/[[\]]|\\\|/g, " "),
  );

const SHOWN = PAGES.flatMap((page) =>
  [...new Set([...shellLines(page), ...inlineCommands(page)])].flatMap((line) => {
    const args = argumentsOf(line);
    return args === undefined ? [] : [{ page, line: line.trim(), args }];
  }),
);

/** `npm run NAME`, `node FILE` and files for vitest, in blocks and within sentences. */
const NAMED = PAGES.flatMap((page) => {
  const text = read(page);
  return [
    ...[...text.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = ""]) => ({ page, kind: "script", name })),
    ...[...text.matchAll(/(?:\bnode |\bnpx vitest .*?)(test\/[\w./-]+)/g)].map(([, name = ""]) => ({
      page,
      kind: "file",
      name,
    })),
  ].filter(({ name }) => !name.endsWith("..."));
});
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

const PROGRAM = await makeProgram();

/** What is wrong with a command line, according to the program's own definition of its commands. */
function mistakeIn(args: readonly string[]): string | undefined {
  let command = PROGRAM;
  // After -- stands the command of another program.
  const dashes = args.indexOf("--");
  let rest = args.slice(0, dashes < 0 ? undefined : dashes);
  for (let next = sub(command, rest[0]); next !== undefined; next = sub(command, rest[0])) {
    command = next;
    rest = rest.slice(1);
  }
  if (command.commands.length > 0 && rest[0] !== undefined && !rest[0].startsWith("-")) return `no command ${rest[0]}`;
  const flags = rest.filter((word) => word.startsWith("-")).map((word) => word.replace(/[=.].*$/, ""));
  const known = ["--help", "--version", ...flagsOf(command), ...command.commands.flatMap(flagsOf)];
  const unknown = flags.find((name) => !known.includes(name));
  return unknown === undefined ? undefined : `no flag ${unknown}`;
}

const flagsOf = ({ options }: Command) => options.flatMap(({ long, short }) => [long, short]);
const sub = (command: Command, name: string | undefined) => command.commands.find((one) => one.name() === name);

describe("commands in the documentation", () => {
  it("are found", () => {
    expect(SHOWN.length).toBeGreaterThan(120);
    expect(mistakeIn(["serve", "--no-such-flag"])).toBe("no flag --no-such-flag");
    expect(mistakeIn(["audit", "tomorrow"])).toBe("no command tomorrow");
  });

  it.each(SHOWN)("$page: $line", ({ args }) => {
    expect(mistakeIn(args)).toBeUndefined();
  });

  it.each(PAGES.flatMap((page) => shellBlocks(page)))("of $page, line $line, are run or say why not", (block) => {
    expect(mistakesIn(block)).toEqual([]);
  });

  it("that are neither run nor marked, or marked wrongly, are found", () => {
    const wrong = (text: string) => shellBlocks("page.md", text).flatMap(mistakesIn);
    const block = "```bat\nnetsh\n```\n";
    expect(wrong(block)).toEqual(["only blocks of sh can be run: mark it"]);
    expect(wrong(`<!-- not run: needs Windows -->\n${block}`)).toEqual([]);
    expect(wrong(`<!-- not run: no time -->\n${block}`)).toEqual([expect.stringContaining("no time is no reason")]);
    expect(wrong(`<!-- run by: test/none.ts -->\n${block}`)).toEqual(["there is no test/none.ts"]);
    expect(wrong(`<!-- run by: package.json "netsh" -->\n${block}`)).toEqual(["package.json does not have netsh"]);
    expect(wrong(`<!-- run by: package.json -->\n${block}`)).toEqual(["package.json does not read page.md"]);
    expect(wrong(`<!-- not run: needs Windows "dir" -->\n${block}`)).toContain("no command has dir");
    expect(wrong("```\nls\n```\n")).toEqual(["the block names no language; text is one"]);
  });

  it("name scripts and files that exist", () => {
    expect(NAMED.length).toBeGreaterThan(30);
    const missing = NAMED.filter(({ kind, name }) =>
      kind === "script" ? scripts[name] === undefined : !existsSync(join(PACKAGE_ROOT, name)),
    );
    expect(missing).toEqual([]);
  });

  it.runIf(HAS_CURL)("of the README sign an invoice, lock the card and unlock it, as pasted", async () => {
    const { url, greeting } = await serve([]);
    const control = new URL(/http:\S+(?=\/control\b)/.exec(greeting)?.[0] ?? "");
    const [line = ""] = /^node .* sample sale$/m.exec(read("README.md")) ?? [];
    const printed = await run("sh", ["-ec", `${line} ${url}`], { cwd: PACKAGE_ROOT, env: environmentWith() });
    expect(printed.stdout).toMatch(/= FISCAL INVOICE =[\s\S]*http/);
    const blocks = [...read("README.md").matchAll(/```sh\n(curl [\s\S]*?)```/g)].map(([, block = ""]) =>
      block.replaceAll("localhost:8431", new URL(url).host).replaceAll("localhost:8432", control.host),
    );
    expect(blocks).toHaveLength(2);
    const [sale = "", lock = ""] = blocks;
    const { stdout } = await run("sh", ["-ec", sale]);
    expect(stdout).toMatch(/^0100/);
    expect(JSON.parse(stdout.slice("0100".length))).toMatchObject({ messages: "Success", totalAmount: 240 });
    const pin = async () => (await fetch(`${url}/api/v3/pin`, { method: "POST", body: "1234" })).text();
    const [first = "", second = ""] = lock.trim().split("\n");
    await run("sh", ["-ec", first]);
    expect(await pin()).toBe("2110");
    await run("sh", ["-ec", second]);
    expect(await pin()).toBe("0100");
  });

  it("of the README lose the answer of a signed sale, and judge the tests of a POS", async () => {
    const [, scenario = ""] = /^node .* serve --scenario (\S+)$/m.exec(read("README.md")) ?? [];
    expect(scenario).toBe("pos/lost-answer");
    const { url } = await serve(["--scenario", scenario]);
    const [line = ""] = /^node .* sample sale$/m.exec(read("README.md")) ?? [];
    const sample = () => run("sh", ["-ec", `${line} ${url}`], { cwd: PACKAGE_ROOT, env: environmentWith() });
    await expect(sample()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("may have been signed") });
    expect((await sample()).stdout).toContain("TESTCARD-TESTCARD-2");
    const [judge = ""] = /^node .* rehearse -- npm test$/m.exec(read("README.md")) ?? [];
    const posWithoutSale = judge.replace("npm test", "node -e 0");
    const judged = run("sh", ["-ec", posWithoutSale], { cwd: PACKAGE_ROOT, env: environmentWith() });
    await expect(judged).rejects.toMatchObject({ code: 3, stderr: expect.stringContaining("the POS sent nothing") });
  });
});
