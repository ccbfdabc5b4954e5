/** A log file rotates within its limits and never blocks its writer. */
import fs, { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { LogFile } from "../../src/base/log-file.js";
import { logOf } from "../../src/config/log.js";
import { temporaryFolder } from "../support/folder.js";
import { useNodeSpies } from "../support/node-spies.js";

function open(folder: string, bytes = 100, count = 3) {
  const elsewhere: string[] = [];
  const file = new LogFile(join(folder, "till.log"), bytes, count, (line) => void elsewhere.push(line));
  return { file, elsewhere, read: (name: string) => readFileSync(join(folder, name), "utf8") };
}

it("the log file keeps the newest complete lines within its limits of files and bytes", () => {
  const line = fc.integer({ min: 1, max: 60 }).map((length) => `${"x".repeat(length)}\n`);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (lines, count) => {
      const folder = temporaryFolder();
      const { file, elsewhere } = open(folder, 100, count);
      for (const one of lines) file.write(one);
      file.close();
      const names = readdirSync(folder).toSorted().reverse();
      expect(names.length).toBeLessThanOrEqual(count);
      for (const name of names) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(100);
      const kept = names
        .toSorted((a, b) => ageOf(b) - ageOf(a))
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join("");
      expect(lines.join("").endsWith(kept)).toBe(true);
      expect(elsewhere).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

function ageOf(name: string): number {
  return Number(/\.(\d+)$/.exec(name)?.[1] ?? 0);
}

it("the log file continues the file of an earlier start, readable only by its owner", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "till.log"), "earlier\n", { mode: 0o644 });
  const { file, read } = open(folder);
  file.write("now\n");
  expect(read("till.log")).toBe("earlier\nnow\n");
  if (process.platform !== "win32") expect(statSync(file.path).mode & 0o777).toBe(0o600);
});

it("the log file escapes control characters that JSON leaves, so that a terminal can show the file", () => {
  const logFile = join(temporaryFolder(), "till.log");
  logOf({ logLevel: "info", logFile }).child({ card: "\u202e" }).info("\u009b2J");
  const line = readFileSync(logFile, "utf8");
  expect(line).toMatch(/^[ -~]+\n$/);
  expect(JSON.parse(line)).toMatchObject({ card: "\u202e", msg: "\u009b2J" });
});

it("the log file sends its lines elsewhere while its folder is missing, and resumes when it is back", () => {
  const folder = join(temporaryFolder(), "logs");
  const { file, elsewhere, read } = open(folder);
  file.write("lost\n");
  mkdirSync(folder);
  file.write("kept\n");
  expect([elsewhere, read("till.log")]).toEqual([["lost\n"], "kept\n"]);
});

it("the log file grows while the older file cannot be moved, and rotates once it can", () => {
  const folder = temporaryFolder();
  const { file, elsewhere, read } = open(folder, 10, 2);
  // A folder with that name is in the way, as a file held by another program is on Windows.
  mkdirSync(join(folder, "till.log.1", "held"), { recursive: true });
  for (const line of ["one-line\n", "two-line\n"]) file.write(line);
  expect([read("till.log"), elsewhere]).toEqual(["one-line\ntwo-line\n", []]);
  rmSync(join(folder, "till.log.1"), { recursive: true });
  file.write("tri-line\n");
  expect([read("till.log"), read("till.log.1")]).toEqual(["tri-line\n", "one-line\ntwo-line\n"]);
});

it("the log file holds only complete lines, even when the disk fills up in the middle of one, and resumes when there is room", () => {
  let room = 12;
  const { writeSync } = fs;
  const write = (descriptor: number, bytes: Uint8Array, from: number) => {
    if (room === 0) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    const length = Math.min(room, bytes.length - from);
    room -= length;
    return writeSync(descriptor, bytes, from, length);
  };
  vi.spyOn(fs, "writeSync").mockImplementation(write as typeof writeSync);
  useNodeSpies();
  const { file, elsewhere, read } = open(temporaryFolder(), 1000, 2);
  file.write("a line\n");
  file.write("another one\n");
  room = 100;
  file.write("the last\n");
  expect([read("till.log"), elsewhere]).toEqual(["a line\nthe last\n", ["another one\n"]]);
});

it("the log file writes only to a file: a folder or device gets nothing and stays unchanged", () => {
  const folder = temporaryFolder();
  const { file, elsewhere } = open(folder);
  mkdirSync(file.path);
  file.write("a line\n");
  expect([elsewhere, statSync(file.path).isDirectory()]).toEqual([["a line\n"], true]);
});
