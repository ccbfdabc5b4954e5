/** `tillseal snapshot` moves an emulator's world to a file and into another emulator. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tillseal } from "../support/command.js";
import { openControlled } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";

const at = (controlUrl: string) => ["--control-url", `${controlUrl}/control`];

it("tillseal snapshot saves to a new file only, and another emulator continues from it", async () => {
  const first = await openControlled();
  const sold = await first.sell("order-1");
  const file = join(temporaryFolder(), "mine.tillseal-snapshot");
  expect(await tillseal(["snapshot", "save", file, ...at(first.controlUrl)])).toMatchObject({ status: 0, stderr: "" });
  const again = await tillseal(["snapshot", "save", file, ...at(first.controlUrl)]);
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining("was not written")]);

  const second = await openControlled();
  const loaded = await tillseal(["snapshot", "load", file, "--restore", ...at(second.controlUrl)]);
  expect([loaded.status, loaded.stdout]).toEqual([0, `The emulator was restored from ${file}.\n`]);
  expect(await second.sell("order-1")).toEqual(sold);
});

it("tillseal snapshot explains what is wrong with a file, and changes nothing", async () => {
  const { control, controlUrl } = await openControlled();
  const folder = temporaryFolder();
  const file = join(folder, "mine");
  writeFileSync(file, "hello");
  for (const [name, message] of [
    [file, "This is not a snapshot: it cannot be unpacked"],
    [join(folder, "none"), "cannot be read"],
    [folder, "cannot be read"],
    [join(folder, "a b"), "letters, digits and ._- only"],
  ] as const) {
    const { status, stderr } = await tillseal(["snapshot", "load", name, ...at(controlUrl)]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  }
  expect((await control("GET", "/snapshots")).json()).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe("hello");
});
