/** `rehearse -- COMMAND` on Windows: cmd and the program read the words that a person has written, and a stop ends all. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { endTreeCommand, windowsCommand } from "../../harness/watch/windows-command.js";

/** Reads a line as cmd does: outside of quotes, ^ takes the meaning of the next character. @returns undefined if a character with a meaning is left */
function afterCmd(line: string): string | undefined {
  let text = "";
  let inQuotes = false;
  for (let i = 0; i < line.length; i++) {
    const char = line[i] ?? "";
    if (!inQuotes && char === "^") text += line[++i] ?? "";
    else if (!inQuotes && "()%!<>&|".includes(char)) return undefined;
    else {
      if (char === '"') inQuotes = !inQuotes;
      text += char;
    }
  }
  return inQuotes ? undefined : text;
}

/** Reads a line as a program does (CommandLineToArgvW): backslashes before a quote count in pairs. */
function wordsIn(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let inQuotes = false;
  for (const [part] of line.matchAll(/\\*"|[\s\S]/g)) {
    if (part.endsWith('"')) {
      const slashes = part.length - 1;
      word = (word ?? "") + "\\".repeat(slashes / 2);
      if (slashes % 2 === 1) word += '"';
      else inQuotes = !inQuotes;
    } else if (part === " " && !inQuotes) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + part;
  }
  return word === undefined ? words : [...words, word];
}

/** The words that a program gets. */
function received(words: readonly string[]): readonly string[] | undefined {
  const { args } = windowsCommand(words);
  expect(args.slice(0, 3)).toEqual(["/d", "/s", "/c"]);
  // With /s, cmd removes the first and the last quote of what follows.
  const line = /^"([\s\S]*)"$/.exec(args[3] ?? "")?.[1] ?? "";
  const text = afterCmd(line);
  return text === undefined ? undefined : wordsIn(text);
}

it.each([
  ["words with blanks", ["node", "a test.js", ""]],
  ["words that cmd would run", ["npm", "test & calc", "a|b", ">out", "(x)", "%PATH%", "!x!", "^"]],
  ["quotes and backslashes", ["pytest", 'say "hi"', "C:\\dir\\", 'a\\"b', '\\\\"']],
  ["a program in a folder with a blank", ["C:\\Program Files\\pos\\test.cmd", "--all"]],
])("a program on Windows gets %s as they were written", (_what, words) => {
  // The name of the program is not quoted, so that cmd finds a script.
  const [program = "", ...args] = words;
  expect(received(words)).toEqual([...program.split(" "), ...args]);
});

it("a program on Windows gets every list of words as it was written", () => {
  const word = fc.string({ unit: fc.constantFrom(..."ab \\\"^%!&|<>()*?;,`'[]") });
  fc.assert(
    fc.property(fc.array(word), (words) => {
      expect(received(["pos", ...words])).toEqual(["pos", ...words]);
    }),
  );
});

it("a stop on Windows ends what the command has started, too", () => {
  expect(endTreeCommand(4711)).toEqual({ program: "taskkill", args: ["/pid", "4711", "/t", "/f"] });
});
