/** A copy for the tax authority is on a stick only if the machine may be thrown away without losing it. */
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { type Disks, ownDisk } from "../../src/authority/own-disk.js";
import { temporaryFolder } from "../support/folder.js";

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
