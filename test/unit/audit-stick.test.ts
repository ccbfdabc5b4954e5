/** A prepared USB stick: its links, names and sizes cannot make tillseal read or write elsewhere. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { carriedName } from "../../emulator/tax-authority/stick.js";
import { cardsWithCommands, exportTo, importFrom } from "../../src/authority/audit-stick.js";
import { type Disks, ownDisk } from "../../src/authority/own-disk.js";
import type { StickFile } from "../../src/authority/stick-files.js";
import { drives, mountedIn, StickWatch, sticksNow } from "../../src/authority/sticks.js";
import { UserError } from "../../src/base/user-error.js";
import { temporaryFolder } from "../support/folder.js";

const UID = "TESTCARD";
const taken = {
  results: [{ commandId: "1", success: true, dateAndTime: "2026-11-22T10:00:00.000Z" }],
  failed: [],
  earlier: 0,
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

it("a stick whose file of commands is not UTF-8 is refused, because names of rates would get other letters", async () => {
  const { dir, file } = stick();
  writeFileSync(file(`${UID}.commands`), Buffer.from("Op\x9ata", "latin1"));
  await expect(importFrom(dir, UID, async () => taken)).rejects.toThrow(
    `${file(`${UID}.commands`)} is not UTF-8 (byte 3): save it as UTF-8`,
  );
});

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
  ["TESTCARD.results", "results"],
  ["TESTCARD-TESTCARD-1234567890.json", "package"],
  ["TESTCARD.arp", "request"],
  ["TESTCARD-OTHERONE-1.json", undefined],
  ["TESTCARD-TESTCARD-one.json", undefined],
  ["T-T-1.json", undefined],
])("%s on a stick is a file for the authority: %s", (name, kind) => {
  expect(carriedName(name)).toEqual(kind && { kind, uid: UID });
});

const TABLE = `/dev/sda1 / ext4 rw 0 0
/dev/sda2 /boot/efi vfat rw 0 0
tmpfs /mnt/scratch tmpfs rw 0 0
/dev/sdb1 /media/ana/MY\\040STICK vfat rw,nosuid 0 0
/dev/sdc1 /run/media/ana/E exfat rw 0 0
`;

it("the service sees the sticks in Linux' mount table, and not the machine's own disks", () => {
  expect(mountedIn(TABLE)).toEqual(["/media/ana/MY STICK", "/run/media/ana/E"]);
});

it("the service reads the table again at each look, so that a stick is noticed when it is put in and when it is gone", () => {
  const table = join(temporaryFolder(), "mounts");
  writeFileSync(table, "");
  expect(sticksNow("linux", table)).toEqual({ places: [], problem: null });
  writeFileSync(table, TABLE);
  expect(sticksNow("linux", table).places).toContain("/run/media/ana/E");
  writeFileSync(table, "");
  expect(sticksNow("linux", table).places).toEqual([]);
});

it("the service says why it cannot see sticks", () => {
  const { places, problem } = sticksNow("linux", join(temporaryFolder(), "nothing"));
  expect(places).toEqual([]);
  expect(problem).toMatch(/^the mount table cannot be read: /);
  expect(sticksNow("freebsd").problem).toBe("sticks cannot be noticed on freebsd");
});

it("the service sees drives by their letters on Windows, without the system's", () => {
  expect(drives((path) => ["C:\\", "E:\\", "Z:\\"].includes(path))).toEqual(["E:", "Z:"]);
});

it("the service reads this machine's table", () => {
  expect(sticksNow("linux").problem).toBeNull();
});

it("the service notices a stick that is put in while the service runs, and again after it was pulled out", async () => {
  const sleeps: (() => void)[] = [];
  const timer = { now: () => 0, sleep: () => new Promise<void>((resolve) => sleeps.push(resolve)) };
  let places = ["/media/ana/OLD"];
  let changes = 0;
  const watch = new StickWatch(
    timer,
    () => changes++,
    () => ({ places, problem: null }),
  );
  watch.start();
  const seenWith = async (now: string[]) => {
    places = now;
    sleeps.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
    return [...watch.sticks.places, changes];
  };
  await new Promise((resolve) => setImmediate(resolve));
  expect(await seenWith(["/media/ana/OLD"])).toEqual([0]);
  expect(await seenWith(["/media/ana/OLD", "/media/ana/NEW"])).toEqual(["/media/ana/NEW", 1]);
  expect(await seenWith(["/media/ana/NEW"])).toEqual(["/media/ana/NEW", 1]);
  expect(await seenWith(["/media/ana/OLD", "/media/ana/NEW"])).toEqual(["/media/ana/OLD", "/media/ana/NEW", 2]);
  expect(await seenWith([])).toEqual([3]);
});

const EXT4 = 0xef53;
const [TMPFS, RAMFS, VFAT, OVERLAY] = [0x01021994, 0x858458f6, 0x4d44, 0x794c7630];

/** @param devices the device of each folder @param type of the file system below every folder */
function on(devices: Readonly<Record<string, bigint>>, type = EXT4): Disks {
  return { device: (folder) => devices[folder], type: () => type };
}

const linux = (devices: Record<string, bigint>, type?: number) =>
  ownDisk("/media/stick", "/data", on(devices, type), "linux");

it.each<[string, Record<string, bigint>, number, string | undefined]>([
  ["of a stick", { "/": 1n, "/data": 1n, "/media/stick": 2n }, VFAT, undefined],
  ["of a stick, with the data on another disk", { "/": 1n, "/data": 3n, "/media/stick": 2n }, EXT4, undefined],
  ["without a stick", { "/": 1n, "/data": 1n, "/media/stick": 1n }, EXT4, "data folder"],
  [
    "without a stick, with the data on another disk",
    { "/": 1n, "/data": 3n, "/media/stick": 1n },
    EXT4,
    "system's disk",
  ],
  ["of a container whose data is a volume", { "/": 9n, "/data": 3n, "/media/stick": 9n }, OVERLAY, "system's disk"],
  ["in tmpfs", { "/": 1n, "/data": 1n, "/media/stick": 5n }, TMPFS, "memory"],
  ["in ramfs", { "/": 1n, "/data": 1n, "/media/stick": 5n }, RAMFS, "memory"],
  ["beside a data folder that may not be looked at", { "/": 1n, "/media/stick": 2n }, VFAT, undefined],
])("a folder %s", (_, devices, type, reason) => {
  const problem = linux(devices, type);
  if (reason === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(reason);
});

it("a folder that does not exist is refused, and not made", () => {
  const dir = `${temporaryFolder()}/absent`;
  expect(() => ownDisk(dir, temporaryFolder())).toThrow(`there is no folder ${dir}`);
  expect(existsSync(dir)).toBe(false);
});

it("a folder on Windows is compared with the drive of the system, not with the current drive", () => {
  const drives = { "E:\\": 7n, "C:\\": 1n, "D:\\data": 2n, "/": 7n };
  expect(ownDisk("E:\\", "D:\\data", on(drives), "win32")).toBeUndefined();
  expect(ownDisk("C:\\", "D:\\data", on(drives), "win32")).toContain("system's disk");
});

it("a folder in this machine's own temporary folder is on the disk of a data folder there", () => {
  expect(ownDisk(temporaryFolder(), temporaryFolder())).toContain("the disk of the data folder");
});
