import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { drives, mountedIn, StickWatch, sticksNow } from "../../src/authority/sticks.js";
import { temporaryFolder } from "../support/folder.js";

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
