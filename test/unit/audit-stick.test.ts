/** A prepared USB stick: its links, names and sizes cannot make tillseal read or write elsewhere. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { cardsWithCommands, exportTo, importFrom } from "../../src/authority/audit-stick.js";
import { takeCommands } from "../../src/authority/local-audit.js";
import { carriedName, type StickFile } from "../../src/authority/stick-files.js";
import { UNREADABLE } from "../../src/authority/tax-authority.js";
import { UserError } from "../../src/base/user-error.js";
import { temporaryFolder } from "../support/folder.js";

const UID = "TESTCARD";
const taken = {
  results: [{ commandId: "1", success: true, dateAndTime: "2026-11-22T10:00:00.000Z" }],
  failed: [],
  held: 0,
  waiting: 0,
  foreign: 0,
};

async function* files(): AsyncGenerator<StickFile> {
  yield { name: `${UID}-${UID}-1.json`, base64: Buffer.from("{}").toString("base64") };
}

function stick() {
  const dir = temporaryFolder();
  const folder = join(dir, UID);
  mkdirSync(folder);
  const own = join(temporaryFolder(), "own");
  writeFileSync(own, "the shop's");
  return { dir, own, file: (name: string) => join(folder, name) };
}

it("a stick with links at the names of its files does not make the shop's own files change", async () => {
  const { dir, own, file } = stick();
  writeFileSync(file(`${UID}.commands`), "[]");
  for (const name of [`${UID}.results`, `${UID}-${UID}-1.json`, "tillseal-copy.json"]) {
    symlinkSync(own, file(name));
    symlinkSync(own, file(`${name}.new`));
  }
  await importFrom(dir, UID, async () => taken);
  await exportTo(dir, UID, files());
  expect(readFileSync(own, "utf8")).toBe("the shop's");
  expect(JSON.parse(readFileSync(file(`${UID}.results`), "utf8"))).toEqual(taken.results);
});

it("a stick offers the commands of its cards only, whatever its other folders are called", () => {
  const { dir, file } = stick();
  writeFileSync(file(`${UID}.commands`), "[]");
  for (const name of [
    "EVIL\u001b[2J",
    "LINE\nEND",
    "ŽŽŽŽŽŽŽŽ",
    "SHORT",
    "LONGER-NAME",
    "a\u202eb\u0007cdef",
    "A B C D ",
  ]) {
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, `${name}.commands`), "[]");
  }
  expect(cardsWithCommands(dir)).toEqual([UID]);
});

it.each(["../own.json", `${UID}-${UID}-/../../own.json`, "..\\own.json", "C:own.json", ".."])(
  "a stick gets no file with the name %j, which would lead out of it",
  async (name) => {
    const { dir } = stick();
    async function* named(): AsyncGenerator<StickFile> {
      yield { name, base64: Buffer.from("evil").toString("base64") };
    }
    await expect(exportTo(dir, UID, named())).rejects.toThrow("is not the name of a file on a stick");
    expect(readdirSync(dir, { recursive: true })).toEqual([UID]);
  },
);

it("a stick with a link as the card's folder gets nothing written behind the link", async () => {
  const dir = temporaryFolder();
  const own = temporaryFolder();
  writeFileSync(join(own, `${UID}-${UID}-7.json`), "the shop's");
  symlinkSync(own, join(dir, UID));
  await expect(exportTo(dir, UID, files())).rejects.toThrow(UserError);
  expect(existsSync(join(own, `${UID}-${UID}-7.json`))).toBe(true);
});

it.each<[what: string, make: (file: string, own: string) => void]>([
  ["a link", (file, own) => symlinkSync(own, file)],
  ["a pipe", (file) => void execFileSync("mkfifo", [file])],
  ["a folder", (file) => mkdirSync(file)],
  [
    "10 GB",
    (file) => {
      writeFileSync(file, "");
      truncateSync(file, 10_000_000_000);
    },
  ],
])("a stick with %s at the place of the commands executes none", async (_what, make) => {
  const { dir, own, file } = stick();
  make(file(`${UID}.commands`), own);
  const take = vi.fn();
  await expect(importFrom(dir, UID, take)).rejects.toThrow(UserError);
  expect(take).not.toHaveBeenCalled();
});

it.each(["..", "../../x", "a\\b", "", "a\n"])("a stick gets no folder named %j", async (uid) => {
  await expect(exportTo(temporaryFolder(), uid, files())).rejects.toThrow(/is not the UID of a card/);
});

it.each([
  ["an id that leads elsewhere", { commandId: ".." }, []],
  ["an endless id", { commandId: "a".repeat(10_000) }, []],
  ["a type that no store can hold", { type: 1e300 }, [expect.objectContaining({ type: UNREADABLE })]],
])("a stick with commands that have %s executes none", async (_what, odd, taken) => {
  const command = { commandId: "1", type: 0, payload: "", uid: UID, ...odd };
  const commands = {
    take: vi.fn(),
    execute: vi.fn(),
    reported: vi.fn(async () => []),
    report: vi.fn(),
    toRead: { held: [], made: [] },
  };
  await takeCommands(UID, JSON.stringify([command]), commands, 0);
  expect(commands.take).toHaveBeenCalledExactlyOnceWith(UID, taken, "file");
});

it.each([
  ["TESTCARD.results", "results"],
  ["TESTCARD-TESTCARD-1234567890.json", "package"],
  ["TESTCARD.arp", "request"],
  ["TESTCARD-OTHERONE-1.json", undefined],
  ["TESTCARD-TESTCARD-one.json", undefined],
  ["T-T-1.json", undefined],
])("%s on a stick is a file for the authority: %s", (name, kind) => {
  expect(carriedName(name)).toEqual(kind && { kind, uid: UID });
});
