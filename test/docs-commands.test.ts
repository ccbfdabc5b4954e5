/** The commands that the documentation shows: they exist, with these flags; those of the README run and answer as it says. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { makeProgram } from "../src/commands/program.js";
import { PACKAGE_ROOT } from "../src/package-root.js";
import { serve } from "./support/command.js";

const run = promisify(execFile);
const read = (page: string) => readFileSync(join(PACKAGE_ROOT, page), "utf8");

/** Lines of the shell blocks of a page, each command on one. */
function shellLines(page: string): string[] {
  return [...read(page).matchAll(/^ *```(?:sh|bash|console)\n([\s\S]*?)^ *```/gm)].flatMap(([, block = ""]) =>
    block.replace(/\\\n\s*/g, " ").split("\n"),
  );
}

/** What a command line gives to tillseal; undefined if it starts something else. */
function argumentsOf(line: string): string[] | undefined {
  const [, rest] = /^\s*(?:[A-Z_]+=\S+ )*(?:sudo )?(?:npx )?tillseal(?: (.*))?$/.exec(line) ?? [];
  return rest
    ?.replace(/\s*([|>#&].*)?$/, "")
    .split(/\s+/)
    .filter(Boolean);
}

const PAGES = ["README.md", "CONTRIBUTING.md"].concat(
  ["docs", "clients"].flatMap((folder) =>
    readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
  ),
);

/** Commands within a sentence or a table; `[--json]` is a flag that may be left out. */
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

/** What is wrong with a command line, by the program's own definition of its commands. */
function mistakeIn(args: readonly string[]): string | undefined {
  let command: Command = makeProgram();
  let rest = [...args];
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
  it("are found at all", () => {
    expect(SHOWN.length).toBeGreaterThan(120);
    expect(mistakeIn(["serve", "--no-such-flag"])).toBe("no flag --no-such-flag");
    expect(mistakeIn(["audit", "tomorrow"])).toBe("no command tomorrow");
  });

  it.each(SHOWN)("$page: $line", ({ args }) => {
    expect(mistakeIn(args)).toBeUndefined();
  });

  it("of the README sign an invoice, lock the card and unlock it, as pasted", async () => {
    const { url, greeting } = await serve([]);
    const control = new URL(/http:\S+(?=\/control\b)/.exec(greeting)?.[0] ?? "");
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
});
