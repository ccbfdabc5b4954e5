/** Shell blocks of the documentation, and the comments before a block that say who runs it or why it is not run. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

/** Why a command of the documentation is run by no test. */
const REASONS = [
  "changes this machine",
  "needs a new checkout",
  "needs a container registry",
  "needs a real card",
  "needs Windows",
  "needs an account",
  "starts the tests",
  "takes hours",
] as const;

/** `<!-- not run: REASON "TEXT" -->` or `<!-- run by: FILE "TEXT" -->`. With texts it is about the lines that have one of them. */
interface Mark {
  readonly kind: "not run" | "run by";
  /** A reason, or a file of this repository. */
  readonly what: string;
  readonly texts: readonly string[];
}

export interface ShellBlock {
  readonly page: string;
  /** Where the block starts in the page, from 1. */
  readonly line: number;
  readonly language: string;
  readonly marks: readonly Mark[];
  /** Each with its continuation lines. */
  readonly commands: readonly string[];
}

const SHELLS = ["sh", "bash", "bat", "cmd", "console", "powershell", "ps1", "shell"];
const BLOCK = /((?:^ *<!-- (?:not run|run by): [^\n]* -->\n\n?)*)^ *```(\w*)[^\n]*\n([\s\S]*?)^ *```/gm;
const MARK = /<!-- (not run|run by): ([^"\n]*?)((?: "[^"\n]+")*) -->/g;

const read = (file: string) => readFileSync(join(PACKAGE_ROOT, file), "utf8");

export const PAGES: readonly string[] = ["README.md", "CONTRIBUTING.md"].concat(
  ["docs", "clients", "deploy", "scenarios", "test/upgrade"].flatMap((folder) =>
    readdirSync(join(PACKAGE_ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .toSorted(),
  ),
);

/** @param text of the page @returns its blocks of commands, and those without a language */
export function shellBlocks(page: string, text = read(page)): ShellBlock[] {
  return [...text.matchAll(BLOCK)].flatMap((match) => {
    const [, marks = "", language = "", content = ""] = match;
    if (language !== "" && !SHELLS.includes(language)) return [];
    const line = text.slice(0, match.index).split("\n").length;
    return [{ page, line, language, marks: marksIn(marks), commands: commandsIn(content) }];
  });
}

function marksIn(text: string): Mark[] {
  return [...text.matchAll(MARK)].map(([, kind, what = "", texts = ""]) => ({
    kind: kind as Mark["kind"],
    what,
    texts: [...texts.matchAll(/"([^"]+)"/g)].map(([, one = ""]) => one),
  }));
}

function commandsIn(content: string): string[] {
  const commands: string[] = [];
  for (const line of content.split("\n").filter((one) => one.trim() !== "")) {
    const last = commands.at(-1);
    if (last !== undefined && isOpen(last)) commands[commands.length - 1] = `${last}\n${line}`;
    else commands.push(line);
  }
  return commands;
}

/** A line continues when it ends with `\`, inside quotes, or inside a here document. */
function isOpen(command: string): boolean {
  const here = /<<'(\w+)'/.exec(command)?.[1];
  if (here !== undefined) return !command.endsWith(`\n${here}`);
  return command.endsWith("\\") || (command.replace(/ #.*$/gm, "").match(/'/g) ?? []).length % 2 === 1;
}

const isMarked = (command: string, marks: readonly Mark[]): boolean =>
  marks.some(({ texts }) => texts.length === 0 || texts.some((text) => command.includes(text)));

/** What a test has to run. */
export const unmarked = ({ commands, marks }: ShellBlock): string[] =>
  commands.filter((command) => !isMarked(command, marks));

/** What is wrong with the marks of a block. */
export function mistakesIn({ page, language, commands, marks }: ShellBlock): string[] {
  if (language === "") return ["the block names no language; text is one"];
  const rest = commands.filter((command) => !isMarked(command, marks));
  return [
    ...(language === "sh" || rest.length === 0 ? [] : ["only blocks of sh can be run: mark it"]),
    ...marks.flatMap(({ kind, what, texts }) => {
      const stray = texts.filter((text) => !commands.some((command) => command.includes(text)));
      if (stray.length > 0) return [`no command has ${stray.join(", ")}`];
      return kind === "run by" ? notRunBy(what, page, texts) : unknownReason(what);
    }),
  ];
}

const unknownReason = (reason: string) =>
  REASONS.some((one) => one === reason) ? [] : [`${reason} is no reason; expected ${REASONS.join(", ")}`];

/** The file reads the page, or has the words of the texts. */
function notRunBy(file: string, page: string, texts: readonly string[]): string[] {
  if (!existsSync(join(PACKAGE_ROOT, file))) return [`there is no ${file}`];
  const source = read(file);
  if (texts.length === 0) return source.includes(basename(page)) ? [] : [`${file} does not read ${page}`];
  const words = texts.flatMap((text) => text.split(" "));
  return words.filter((word) => !source.includes(word)).map((word) => `${file} does not have ${word}`);
}
