import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { sampleSale, welcome } from "../../src/commands/running.js";
import { isReadAlike } from "../support/pasted.js";

const EMULATED = { url: "http://127.0.0.1:8431", card: "emulated", pin: "1234" };
const commandsOf = (text: string) => text.split("\n").filter((line) => line.startsWith("  "));

it("what serve prints has one command for a first sale, which a POSIX shell, cmd and PowerShell read alike", () => {
  const [command, ...others] = commandsOf(welcome(EMULATED, sampleSale("linux", "/opt/tillseal/dist/src/cli.js")));
  expect(others).toEqual([]);
  expect(command).toBe("  node /opt/tillseal/dist/src/cli.js sample sale http://127.0.0.1:8431");
  expect(isReadAlike(command?.trim() ?? "")).toBe(true);
});

it("what serve prints is as README's first commands: each is read alike", () => {
  const readme = readFileSync(join(PACKAGE_ROOT, "README.md"), "utf8");
  const [, setUp = "", sell = ""] = /```sh\n([\s\S]*?)```[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(sell).toMatch(/sample sale\n$/);
  const lines = `${setUp}${sell}`.trimEnd().split("\n");
  expect(lines).toHaveLength(5);
  expect(lines.filter((line) => !isReadAlike(line))).toEqual([]);
});

it.each([
  ["single quotes", "curl -d '{}' http://localhost:8431"],
  ["a folder in front of the command", "./dist/cli.js sample sale"],
  ["a command in quotes", '"node" cli.js'],
  ["a variable", "node $HOME/cli.js"],
  ["a variable of cmd", "node %HOME%/cli.js"],
  ["a backslash", "node dist\\cli.js"],
  ["two commands", "npm ci && npm start"],
  ["an argument that PowerShell splits", "node -a.b"],
  ["two spaces", "node  cli.js"],
  ["a list", "node a,b"],
])("what serve prints would not be read alike with %s", (_, line) => expect(isReadAlike(line)).toBe(false));

it("what serve prints is read alike with a path in quotes and an option with a value", () => {
  expect(isReadAlike('node "/opt/my shop/cli.js" sample sale http://127.0.0.1:8431 --pin 9876')).toBe(true);
});

it("what serve prints quotes a path with spaces, and runs the Node.js of the zip for Windows", () => {
  expect(sampleSale("win32", "C:\\my shop\\cli.js")).toBe('node "C:\\my shop\\cli.js" sample sale');
  expect(sampleSale("win32", "C:\\tillseal\\app\\dist\\src\\cli.js")).toBe(".\\tillseal.cmd sample sale");
});

it("what serve prints says how a POS calls the online service", () => {
  const notes = ["the online service listens", "  its certificate"];
  const text = welcome({ ...EMULATED, notes }, "tillseal sample sale");
  expect(text).toContain("the online service listens\n  its certificate\nready\n");
});

it("what serve prints names the PIN of a card that has another one, and asks for that of a real card", () => {
  expect(commandsOf(welcome({ ...EMULATED, pin: "9876" }, "tillseal sample sale"))).toEqual([
    "  tillseal sample sale http://127.0.0.1:8431 --pin 9876",
  ]);
  expect(commandsOf(welcome({ url: EMULATED.url, card: "a real one" }))).toEqual([
    "  curl -d PIN http://127.0.0.1:8431/api/v3/pin",
  ]);
});
