/** What each command says, whatever it is asked: only texts that were written for people. */
import type { Command } from "commander";
import { expect, it } from "vitest";
import { makeProgram } from "../../src/commands/program.js";

/** How a value looks that was put into a text by mistake. */
const NO_TEXT = /\[object|\bundefined\b|\bNaN\b/;

function every(command: Command, path = command.name()): readonly (readonly [path: string, command: Command])[] {
  return [[path, command], ...command.commands.flatMap((one) => every(one, `${path} ${one.name()}`))];
}

it.each(every(await makeProgram()))("the help of a command describes each flag in words: %s", (_path, command) => {
  expect(command.helpInformation()).not.toMatch(NO_TEXT);
});
